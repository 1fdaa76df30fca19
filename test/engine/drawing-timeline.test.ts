import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defineLifecycle, LifecycleError, replaceLifecycle } from '../../src/engine/tasks/lifecycle.ts'
import { planTask, type TaskShape } from '../../src/engine/tasks/plan-task.ts'
import type { Amendment } from '../../src/engine/tasks/plan.ts'
import { nextChange, timelineOf, viewAt, type Timeline } from '../../src/engine/tasks/timeline.ts'
import { drawingLifecycle, videoLifecycle } from '../support/lifecycles.ts'

const half = (): number => 0.5

const timelineFor = (
  shape: TaskShape,
  { from, amendments = [] }: { from?: string; amendments?: Amendment[] } = {},
): Timeline =>
  timelineOf(
    { plan: planTask(drawingLifecycle, shape, half, from), submittedAt: 0 },
    amendments,
    drawingLifecycle,
  )

it('climbs a ladder of progress, each rung for an equal time', () => {
  const timeline = timelineFor({ queued: 0, render: '7s' })
  const rungs = [0, 999, 1_000, 3_500, 6_999, 7_000].map(
    (now) => viewAt(timeline, drawingLifecycle, now).progress,
  )
  expect(rungs).toEqual([0, 0, 15, 46, 93, 100])
})

it('takes the time before the work for all states that wait', () => {
  const { spans } = timelineFor({ queued: '10s', render: '5s' })
  expect(spans.map(({ state, from }) => [state, from])).toEqual([
    ['NOT_START', 0],
    ['SUBMITTED', 10_000],
    ['IN_PROGRESS', 10_000],
    ['SUCCESS', 15_000],
  ])
})

it('begins with a question if configured, and expires without an answer', () => {
  const { spans } = timelineFor({}, { from: 'MODAL' })
  expect(spans.map(({ state, from }) => [state, from])).toEqual([
    ['MODAL', 0],
    ['FAILURE', 300_000],
  ])
})

it('goes on at the instant of the answer', () => {
  const answer: Amendment = {
    kind: 'confirm',
    at: 60_000,
    operation: 'mj.modal',
    request: { prompt: 'a hat' },
  }
  const { spans } = timelineFor({ queued: '2s', render: '5s' }, { from: 'MODAL', amendments: [answer] })
  expect(spans.map(({ state, from }) => [state, from])).toEqual([
    ['MODAL', 0],
    ['SUBMITTED', 60_000],
    ['IN_PROGRESS', 62_000],
    ['SUCCESS', 67_000],
  ])
})

it.each([drawingLifecycle, videoLifecycle])(
  'names every instant at which a task looks different, and no other',
  (lifecycle) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        (queued, render) => {
          const timeline = timelineOf(
            { plan: planTask(lifecycle, { queued, render }, half), submittedAt: 0 },
            [],
            lifecycle,
          )
          const lookAt = (now: number): string => {
            const { state, progress } = viewAt(timeline, lifecycle, now)
            return `${state} ${progress}`
          }
          const changes: number[] = []
          for (let now = 1; now <= queued + render + 5; now++)
            if (lookAt(now) !== lookAt(now - 1)) changes.push(now)
          const named: number[] = []
          for (
            let at = nextChange(timeline, lifecycle, 0);
            at !== null;
            at = nextChange(timeline, lifecycle, at)
          )
            named.push(at)
          expect(named).toEqual(changes)
        },
      ),
      { numRuns: 40 },
    )
  },
)

it('names no change of a task that is stuck or waits', () => {
  expect(nextChange(timelineFor({ queued: 'forever' }), drawingLifecycle, 5)).toBeNull()
  const stuck = timelineFor({ queued: 0, render: 'forever' })
  let last = 0
  for (
    let at = nextChange(stuck, drawingLifecycle, 0);
    at !== null;
    at = nextChange(stuck, drawingLifecycle, at)
  )
    last = at
  expect(viewAt(stuck, drawingLifecycle, last)).toMatchObject({ state: 'IN_PROGRESS', progress: 93 })
})

it('refuses ladders that fall, leave 0 to 100, or have no rung', () => {
  for (const progress of [[10, 5], [0, 101], []]) {
    const define = (): unknown =>
      defineLifecycle(
        'test',
        { initial: 'a', states: { a: { after: '1s', to: 'b', progress }, b: { final: true } } },
        { queue: 'a', work: 'a', success: 'b', failure: 'b' },
      )
    expect(define).toThrow(LifecycleError)
  }
})

it('refuses to lose a state in which the client is waited for', () => {
  const { MODAL: _modal, ...states } = drawingLifecycle.states
  expect(() => replaceLifecycle(drawingLifecycle, { initial: 'NOT_START', states })).toThrow(
    /MODAL must wait for the client/,
  )
})
