import { expect, it } from 'vitest'
import { betterWayOf, compare, reportOf } from '../../bench/check.js'
import { figuresOf, type Figure } from '../../bench/page.js'

const table = (...rows: string[]) =>
  figuresOf(
    'Polls',
    ['| | answers in a second | processor time of each |', '|---|---|---|', ...rows].join('\n'),
  )

const check = (before: readonly Figure[], now: readonly Figure[], isSameMachine = true) =>
  compare(before, now, { isSameMachine }).map(({ now: { column }, verdict }) => `${column}: ${verdict}`)

it('finds a rate worse when all of it lies below all that was measured before', () => {
  const before = table('| greenroom | 0.59 (0.50 to 0.65) | 1.70 (1.60 to 1.80) |')
  expect(check(before, table('| greenroom | 0.45 (0.40 to 0.49) | 1.75 (1.65 to 1.85) |'))).toEqual([
    'answers in a second: worse',
    'processor time of each: within the spread',
  ])
  expect(check(before, table('| greenroom | 0.45 (0.40 to 0.51) | 1.95 (1.85 to 2.10) |'))).toEqual([
    'answers in a second: within the spread',
    'processor time of each: worse',
  ])
})

it('finds more answers and less processor time better', () => {
  const before = table('| greenroom | 0.59 (0.50 to 0.65) | 1.70 (1.60 to 1.80) |')
  expect(check(before, table('| greenroom | 0.75 (0.70 to 0.80) | 1.20 (1.10 to 1.30) |'))).toEqual([
    'answers in a second: better',
    'processor time of each: better',
  ])
})

it('says how many times as much a worse figure is, with both spreads', () => {
  const before = table('| greenroom | 0.60 (0.50 to 0.65) | 1.70 (1.60 to 1.80) |')
  const now = table('| greenroom | 0.45 (0.40 to 0.49) | 1.75 (1.65 to 1.85) |')
  expect(reportOf(compare(before, now, { isSameMachine: true }))).toBe(
    'worse: Polls | greenroom | answers in a second: 0.75 times; before 0.60 (0.50 to 0.65), now 0.45 (0.40 to 0.49)\n' +
      '2 figures compared: 1 worse beyond both spreads, 0 better, 1 within them.',
  )
})

it('leaves out what is not of greenroom, and figures that the page does not have', () => {
  const before = table('| bare | 1 | 1 |', '| aimock | 0.20 (0.19 to 0.21) | 5.00 (4.90 to 5.10) |')
  const now = table(
    '| bare | 1 | 1 |',
    '| aimock | 0.10 (0.09 to 0.11) | 9.00 (8.90 to 9.10) |',
    '| greenroom relative to aimock | 1.50 (1.40 to 1.60) | 0.60 (0.50 to 0.70) |',
  )
  expect(check(before, now)).toEqual([])
})

it('gives a figure that was measured once a quarter of spread', () => {
  const memory = (bytes: number) =>
    figuresOf('Scale', `| | measured |\n|---|---|\n| Memory of a task | ${bytes} bytes |`)
  expect(check(memory(1_000), memory(1_500))).toEqual(['measured: within the spread'])
  expect(check(memory(1_000), memory(1_800))).toEqual(['measured: worse'])
})

it('compares only ratios with figures of another machine', () => {
  const start = (ratio: string, ms: string) =>
    figuresOf(
      'Start',
      `| First answer | relative to bare | measured |\n|---|---|---|\n| greenroom | ${ratio} | ${ms} |`,
    )
  const before = start('2.00 (1.90 to 2.10)', '200 ms (190 to 210)')
  const now = start('3.00 (2.90 to 3.10)', '400 ms (390 to 410)')
  expect(check(before, now)).toEqual(['relative to bare: worse', 'measured: worse'])
  expect(check(before, now, false)).toEqual(['relative to bare: worse'])
})

it.each([
  ['Virtual time', '`sim.fetch`, in process', 'lives in a second', 'higher'],
  ['Dashboard', '100000', 'frames per second', 'higher'],
  ['Exploration', 'a streamed text', 'per second of processor time', 'higher'],
  ['State on disk', 'Submits with `--state`, per second', 'measured', 'higher'],
  ['Polls of a video', 'greenroom', '99th percentile of latency', 'lower'],
  ['Virtual time', 'A render of three minutes, 37 polls', 'from the start of the process', 'lower'],
  ['Exploration', 'a streamed text', 'schedules', undefined],
  ['Media', '`fast`', 'size', undefined],
  ['Polls of a video', 'WireMock', 'answers in a second', undefined],
])('knows that %s of %s: %s is better %s', (section, row, column, way) => {
  expect(betterWayOf({ section, row, column, table: '', value: 1, low: 1, high: 1, unit: '' })).toBe(way)
})
