import { caps } from '../../src/engine/caps.ts'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkScenario } from '../../src/files/check.ts'
import { lintScenario } from '../../src/files/lint/lint.ts'
import { readYaml as parseYaml } from '../../src/files/yaml-text.ts'

const drafts = new URL('drafts/', import.meta.url)
const texts = readdirSync(drafts).map((name) => readFileSync(new URL(name, drafts), 'utf8'))

/** Parses, checks and lints a text. Every mistake must have a position in the text. */
function read(text: string): void {
  const parsed = parseYaml(text)
  if ('mistakes' in parsed) {
    for (const { line, column, message } of parsed.mistakes) expectPlace(text, { line, column }, message)
    return
  }
  const checked = checkScenario(parsed.value)
  if ('scenario' in checked) return void lintScenario(checked.scenario)
  expect(checked.mistakes.length).toBeGreaterThan(0)
  for (const { place, isKey, sentence } of checked.mistakes) {
    expectPlace(text, parsed.position(place, isKey), sentence)
  }
}

function expectPlace(
  text: string,
  { line, column }: { line: number; column: number },
  message: string,
): void {
  expect(message).toMatch(/[.!?]$/)
  expect(line).toBeGreaterThan(0)
  expect(line).toBeLessThanOrEqual(text.split('\n').length)
  expect(column).toBeGreaterThan(0)
}

it('survives mutated files, and reports positions', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ':',
    '- ',
    '\n',
    '*a',
    '&a ',
    '<<: ',
    '"',
    '!!x ',
    'null',
    '-1',
    '1e999',
    '\u0000',
    '__proto__: 1',
  ]
  const change = fc.record({
    text: fc.constantFrom(...texts),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.integer({ min: 0, max: 30 }),
    piece: fc.constantFrom(...pieces),
  })
  fc.assert(
    fc.property(change, ({ text, at, removed, piece }) => {
      const from = Math.floor(at * text.length)
      read(text.slice(0, from) + piece + text.slice(from + removed))
    }),
    { numRuns: 300 },
  )
})

it('survives any value from code', () => {
  const keys = ['version', 'rules', 'throttles', 'drive', 'expect', 'clock', 'config', 'extends']
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), fc.anything({ maxDepth: 4 })), (value) => {
      const checked = checkScenario({ version: 1, ...value })
      if ('mistakes' in checked) for (const { sentence } of checked.mistakes) expect(sentence).toContain(': ')
    }),
    { numRuns: 300 },
  )
})

it.each([
  ['flow lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
  ['open flow lists', (depth: number) => '['.repeat(depth)],
  ['flow mappings', (depth: number) => '{a: '.repeat(depth) + '}'.repeat(depth)],
  ['lists in one line', (depth: number) => `${'- '.repeat(depth)}a`],
  ['keys', (depth: number) => `${'? '.repeat(depth)}a`],
  [
    'block mappings',
    (depth: number) => Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
  ],
])('refuses %s that are nested too deep, and reads those above', (_, nest) => {
  const tooDeep = { mistakes: [{ line: 1, column: 1, message: 'it is nested too deep. Nest less.' }] }
  expect(parseYaml(nest(caps.fileDepth + 1))).toEqual(tooDeep)
  expect(parseYaml(nest(1_200))).toEqual(tooDeep)
  expect(parseYaml(nest(caps.fileDepth - 5))).not.toEqual(tooDeep)
})

const keys = (count: number): string => Array.from({ length: count }, (_, n) => `k${n}: ${n}`).join('\n')

it.each([
  ['keys', keys(60_000)],
  ['empty entries', `[${','.repeat(5_000)}]`],
  ['directives', '%A\n'.repeat(5_000)],
  ['anchors', '&a '.repeat(5_000)],
  ['aliases', `[${'*a,'.repeat(5_000)}]`],
  ['documents', '---\n'.repeat(5_000)],
  ['brackets', ']'.repeat(5_000)],
])('refuses a text of very many %s before it is composed', (_, text) => {
  expect(parseYaml(text)).toEqual({
    mistakes: [{ line: 1, column: 1, message: expect.stringContaining('Split it.') as string }],
  })
})

it('reads thousands of keys, and names the one that comes twice', () => {
  expect(parseYaml(keys(2_000))).toHaveProperty('value.k1999', 1_999)
  expect(parseYaml(`${keys(2_000)}\nk1000: 1`)).toEqual({
    mistakes: [{ line: 2_001, column: 1, message: 'duplicate key. Keep one.' }],
  })
  expect(parseYaml('a: &a { x: 1 }\nb: &b { y: 2 }\nc:\n  <<: *a\n  <<: *b')).toHaveProperty('value.c.x', 1)
})
