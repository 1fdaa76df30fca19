import { expect, it } from 'vitest'
import { aims, aimsTable } from '../../bench/aims.js'
import { figuresOf, machineOf, merged, quoted, sectionsOf, stamp } from '../../bench/page.js'

const page = `# Benchmarks

Written before.

## Aims

old

## Polls

| | rate | latency |
|---|---|---|
| bare | 1 | 1 |
| greenroom | 0.59 (0.44 to 0.67) | 2.53 ms (1.64 to 2.79) |

## Start

Not measured.
`

it('reads ratios, spreads and units from tables', () => {
  expect(figuresOf('Polls', sectionsOf(page).get('Polls')!).slice(2)).toEqual([
    {
      section: 'Polls',
      table: '',
      row: 'greenroom',
      column: 'rate',
      value: 0.59,
      low: 0.44,
      high: 0.67,
      unit: '',
    },
    {
      section: 'Polls',
      table: '',
      row: 'greenroom',
      column: 'latency',
      value: 2.53,
      low: 1.64,
      high: 2.79,
      unit: 'ms',
    },
  ])
  expect(figuresOf('Start', sectionsOf(page).get('Start')!)).toEqual([])
})

it('quotes figures without their spread', () => {
  const text = 'Polls: <!-- figure: Pol / greenroom / 2 -->9<!-- --> ms'
  expect(quoted(text, page)).toBe('Polls: <!-- figure: Pol / greenroom / 2 -->2.53<!-- --> ms')
  expect(() => quoted('<!-- figure: Pol / Prism / 2 -->9<!-- -->', page)).toThrow('Pol / Prism / 2')
})

it('replaces a section that was measured, and keeps the others in their order', () => {
  const titles = ['Polls', 'Chats', 'Start']
  const result = merged(page, new Map([['Chats', 'new']]), titles, (all) => `head of ${[...all.keys()]}\n`)
  expect(result).toMatch(/^head of Polls,Chats,Start\n\n## Polls\n\n\| \| rate/)
  expect(result).toMatch(/2\.79\) \|\n\n## Chats\n\nnew\n\n## Start\n\nNot measured\.\n$/)
  expect(sectionsOf(result)).toEqual(
    new Map([...[...sectionsOf(page)].slice(1, 2), ['Chats', 'new'], ['Start', 'Not measured.']]),
  )
})

it('finds where a section was measured', () => {
  const machine = { node: 'v20.20.2', processor: '2 × AMD EPYC, 4th', date: '2026-11-23' }
  expect(machineOf(`${stamp(machine)}\n\ntext`)).toEqual(machine)
  expect(machineOf('text')).toBeUndefined()
})

it('judges aims by the figures of the page', () => {
  const head =
    '| | answers in a second | processor time of each | 99th percentile of latency |\n|---|---|---|---|\n'
  const polls = `${head}| greenroom | 0.61 (0.50 to 0.70) | 1.60 (1.50 to 1.70) | 2.30 (2.00 to 2.50) |`
  const [, , rate, latency, native] = aimsTable(new Map([['Polls of a video', polls]])).split('\n')
  expect(rate).toBe(
    '| Polls, relative to bare | answers in a second | at least 0.6 | 0.61 (0.50 to 0.70) | 1.60 | met |',
  )
  expect(latency).toBe(
    '| Polls, relative to bare | 99th percentile of latency | at most 2 | 2.30 (2.00 to 2.50) | 1.60 | missed |',
  )
  expect(native).toContain('| not measured |')
  expect(aims.length).toBe(14)
})
