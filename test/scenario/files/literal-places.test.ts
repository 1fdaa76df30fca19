import { expect, it } from 'vitest'
import { literalPlaces } from '../../../src/scenario/files/syntax/literal-places.ts'

const value = { version: 1, name: 'it', rules: [] }

/** `line:column` of a place, or nothing if only the file is known. */
const placeIn = (text: string, place: PropertyKey[], isKey = false): string => {
  const { line, column } = literalPlaces('it.ts', text, value)(place, isKey)
  return line === undefined ? '' : `${line}:${column}`
}

const program = `import { defineScenario } from 'greenroom'
interface Other { name: string }
const note = { name: 'no rules: []' } // version: 1, rules: []
const more = [{ match: { op: 'mj.*' } }]

export default defineScenario({
  version: 1,
  'name': "it's",
  /* rules: [1] */
  rules: [
    { match: { op: 'video.poll' }, on: [1, 2], fault: pick('a, b', [1]) },
    { match: { op: \`video.\${'x'}\` },
      delay: 5 },
    ...more,
    { match: {} },
  ],
})
`

it.each([
  [['version'], '7:12'],
  [['name'], '8:11'],
  [['rules', 0, 'match', 'op'], '11:20'],
  [['rules', 0, 'on', 1], '11:44'],
  [['rules', 0, 'fault'], '11:55'],
  [['rules', 1, 'delay'], '13:14'],
  [['rules', 0, 'fault', 'type'], '11:55'],
  [['rules', 3, 'match'], '10:10'],
  [['seed'], ''],
])('finds %j in a program', (place, found) => {
  expect(placeIn(program, place)).toBe(found)
})

it('finds keys, and a literal that a function returns or a variable has', () => {
  expect(placeIn(program, ['rules', 1, 'delay'], true)).toBe('13:7')
  expect(
    placeIn('const make = () => {\n  return { version: 1, rules: [] }\n}\nexport default make()', ['rules']),
  ).toBe('2:31')
  expect(
    placeIn('const own: Scenario = {\n  version: 1,\n  rules }\nexport { own as default }', ['rules']),
  ).toBe('3:3')
})

it('knows only the file if two literals are as likely, or none is', () => {
  expect(placeIn('const a = { version: 1 }\nexport default { version: 1 }', ['version'])).toBe('')
  expect(placeIn('export default make(1)', ['version'])).toBe('')
})

it('reads hostile programs in time', () => {
  for (const text of [
    '{'.repeat(50_000),
    '[{'.repeat(50_000),
    '{a:'.repeat(50_000),
    '"'.repeat(100_000),
    '/*'.repeat(50_000),
  ])
    expect(placeIn(text, ['rules'])).toBe('')
})
