import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { toYaml } from '../../src/dashboard/data/yaml.ts'
import { ruleOf, waysByTitle } from '../../src/dashboard/panels/ways.ts'
import { parseScenario } from '../../src/index.ts'

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'ab1.% :#-{}[],&*!|>\'"\n\ttrueonnull~') }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('on', 'no', 'null', '10%', '20s', '3s..30s', '1e3', '0x10', '2030-01-01', 'forever'),
)
const name = fc
  .oneof(fc.constantFrom('on', 'op', 'retryAfter', 'after-chunk'), fc.string({ minLength: 1 }))
  .filter((text) => text !== '__proto__')
const value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  map: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))

it('writes YAML that reads back as the same value', () => {
  const document = fc.dictionary(name, value.value, { minKeys: 1, maxKeys: 5, noNullPrototype: true })
  fc.assert(
    fc.property(document, (data) => {
      expect(parse(toYaml(data))).toEqual(data)
    }),
    { numRuns: 500 },
  )
})

it('writes lists of rules in the style of the docs', () => {
  const rule = { id: 'flaky', match: { op: ['video.poll', 'mj.fetch'] }, on: 2, delay: '20s', chance: '10%' }
  expect(toYaml([rule])).toBe(
    '- id: flaky\n  match: { op: [video.poll, mj.fetch] }\n  on: 2\n  delay: 20s\n  chance: 10%\n',
  )
})

it.each(Object.entries(waysByTitle))('offers rules that a scenario file can have: %s', async (_, ways) => {
  for (const way of ways) {
    const text = toYaml({ version: 1, name: 'one way', rules: [ruleOf(way)] })
    await expect(parseScenario(text), text).resolves.toMatchObject({ scenario: { rules: [{}] } })
  }
})
