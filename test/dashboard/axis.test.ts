import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findFolds, rulerMarks, rulerStep, toInstant, toPlace } from '../../src/dashboard/data/folds.ts'
import { nestLanes, type Lane } from '../../src/dashboard/data/lanes.ts'

const minute = 60_000
const start = Date.UTC(2030, 0, 1)

/** Instants with idle stretches between them. */
const history = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: minute, max: 30 * minute })), {
    minLength: 1,
    maxLength: 60,
  })
  .map((gaps) => {
    let at = start
    return gaps.map((gap) => (at += gap))
  })

it('folds only stretches without an event', () => {
  fc.assert(
    fc.property(history, (instants) => {
      const until = instants.at(-1)!
      for (const { from, to } of findFolds(instants, start, until)) {
        expect(instants.filter((at) => at > from && at < to)).toEqual([])
        expect(to).toBeGreaterThan(from)
      }
    }),
  )
})

it('leaves two seconds around an event visible', () => {
  const single = findFolds([start + 10 * minute], start, start + 20 * minute)
  expect(single.map(({ from, to }) => [from - start, to - start])).toEqual([
    [2_000, 10 * minute - 2_000],
    [10 * minute + 2_000, 20 * minute - 2_000],
  ])
})

it('turns an instant into its place and back, but within a fold', () => {
  fc.assert(
    fc.property(history, fc.double({ min: -0.5, max: 1.5, noNaN: true }), (instants, share) => {
      const until = instants.at(-1)!
      const folds = findFolds(instants, start, until)
      const at = start + (until - start) * share
      const back = toInstant(folds, toPlace(folds, at))
      const fold = folds.find(({ from, to }) => at >= from && at <= to)
      expect(back).toBeCloseTo(fold ? fold.from : at, 3)
    }),
  )
})

it('has no place that goes back when time goes on', () => {
  fc.assert(
    fc.property(history, (instants) => {
      const folds = findFolds(instants, start, instants.at(-1)!)
      const places = instants.map((at) => toPlace(folds, at))
      expect(places).toEqual(places.toSorted((one, other) => one - other))
      const saved = folds.reduce((sum, { savedMs }) => sum + savedMs, 0)
      expect(toPlace(folds, instants.at(-1)!)).toBe(instants.at(-1)! - saved)
    }),
  )
})

it('marks round instants on the ruler, also right after a fold', () => {
  const folds = findFolds([start + 20_000, start + 20 * minute + 7_000], start, start + 21 * minute)
  const step = 15_000
  const to = toPlace(folds, start + 21 * minute)
  const marks = rulerMarks(folds, { origin: start, from: start, to, step }).map((at) => at - start)
  expect(marks.every((at) => at % step === 0)).toBe(true)
  expect(marks.slice(0, 3)).toEqual([0, step, 20 * minute + step])
  expect(folds).toHaveLength(1)
})

it('has room for each label of the ruler, and few enough marks to draw', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1e8, noNaN: true }), (msPerPixel) => {
      const step = rulerStep(msPerPixel)
      expect(step / msPerPixel).toBeGreaterThanOrEqual(90)
      const to = start + 1_400 * msPerPixel
      expect(rulerMarks([], { origin: start, from: start, to, step }).length).toBeLessThan(18)
    }),
  )
})

const lane = (id: string, parent?: string): Lane => ({
  id,
  medium: 'image',
  label: id,
  operation: 'mj.imagine',
  start: 0,
  end: 1,
  states: [{ phase: 'done', status: 'SUCCESS', from: 0 }],
  entries: [],
  reason: '',
  faults: 0,
  depth: 0,
  ...(parent !== undefined && { parent }),
})

it('puts drawings under the one that they were made from', () => {
  const lanes = [
    lane('grid'),
    lane('other'),
    lane('upscaled', 'grid'),
    lane('varied', 'upscaled'),
    lane('lost', 'gone'),
  ]
  const nested = nestLanes(lanes).map(({ id, depth }) => `${depth} ${id}`)
  expect(nested).toEqual(['0 grid', '1 upscaled', '2 varied', '0 other', '0 lost'])
})

it('lists every lane once, whatever their parents are', () => {
  const parents = fc.array(fc.option(fc.nat(9)), { maxLength: 10 })
  fc.assert(
    fc.property(parents, (list) => {
      const lanes = list.map((parent, index) => lane(`${index}`, parent === null ? undefined : `${parent}`))
      const ids = nestLanes(lanes).map(({ id }) => id)
      expect(ids.toSorted()).toEqual(lanes.map(({ id }) => id).toSorted())
    }),
  )
})
