import { expect, it } from 'vitest'
import { linesBefore, moduleOf } from './support/example-module.ts'
import { more, shows, throws } from './support/example-checks.ts'

const example = (code: string): { path: string; line: number; code: string } => ({
  path: 'src/version.ts',
  line: 7,
  code,
})

it('gives an example what it uses and does not declare', () => {
  const [given, code] = moduleOf(example("client.ask('hello')")).split('\n')
  expect(given).toContain('await using sim = $create(')
  expect(given).toContain('const client = new MyClient(')
  expect(code).toBe("client.ask('hello')")
  const rule = "const sim = createSimulator()\nconst version: Rule = { match: { op: '*' } }"
  const [needed] = moduleOf(example(rule)).split('\n')
  expect(needed).toContain("import { createSimulator } from '../../src/index.ts'")
  expect(needed).toContain("import { type Rule } from '../../src/index.ts'")
  expect(needed).not.toMatch(/\$create|client|\bversion\b/)
})

it('gives an example of tests what Vitest has, with our matchers', () => {
  const [given] = moduleOf(example("it('passes', () => expect(sim).not.toHaveSubmitted())")).split('\n')
  expect(given).toContain("import { expect, it } from 'vitest'; import '../../src/vitest/index.ts'")
  const [own] = moduleOf(example('const expect: Expect = {}')).split('\n')
  expect(own).not.toContain('vitest')
})

it('leads imports of an example to src', () => {
  const imports =
    "import { a } from 'greenroom'\nimport { b } from './engine/glob.ts'\nimport { c } from 'msw'\n"
  const [, ...code] = moduleOf(example(imports)).split('\n')
  expect(code.join('\n').match(/from '(.*)'$/gm)).toEqual([
    "from '../../src/index.ts'",
    "from '../../src/engine/glob.ts'",
    "from 'msw'",
  ])
})

it('demands what an example shows, at its line', () => {
  const code =
    'const list = [\n  1,\n]\nlist\n  .concat(2) // → [1, …]\nlist.at(x) // throws RangeError: bad\n'
  expect(moduleOf(example(code)).split('\n').slice(linesBefore)).toEqual([
    'const list = [',
    '  1,',
    ']',
    ";$shows('src/version.ts:10', (list",
    '  .concat(2)), ([1, ...$more])) // → [1, …]',
    ';await $throws(\'src/version.ts:12\', async () => (list.at(x)), RangeError, "bad") // throws RangeError: bad',
    '',
    'export {}',
    '',
  ])
})

it('refuses a claim that stands behind no expression', () => {
  const behind = '"// → 1" stands behind no expression'
  expect(() => moduleOf(example('const one = 1 // → 1'))).toThrow(`src/version.ts:7: ${behind}`)
  expect(() => moduleOf(example('one()\n// → 1'))).toThrow(`src/version.ts:8: ${behind}`)
  expect(() => moduleOf(example('a video, made of stars'))).toThrow(
    "src/version.ts:7: the example can't be parsed",
  )
})

it('accepts the value of the example, and an ellipsis for the rest', () => {
  shows(
    'here',
    { id: 'task_1', states: [{ name: 'queued', from: 1 }] },
    { id: 'task_…', states: [{ name: 'queued', ...more }] },
  )
  shows('here', [1, 2], [1, ...more])
  shows('here', null, null)
  expect(() => shows('here', { a: 1, b: 2 }, { a: 1 })).toThrow('here: expected')
  expect(() => shows('here', { a: 1 }, { a: 2, ...more })).toThrow('here: expected')
  expect(() => shows('here', [2], [1, ...more])).toThrow('here: expected')
  expect(() => shows('here', 'a task_1', 'task_…')).toThrow('here: expected')
  expect(() => shows('here', 0, false)).toThrow('here: expected')
})

it('accepts the error of the example if kind and message match', async () => {
  const refuse = (): never => {
    throw new RangeError('too far: 7')
  }
  await throws('here', refuse, RangeError)
  await throws('here', async () => refuse(), Error, 'too far: …')
  await expect(throws('here', () => 1, Error)).rejects.toThrow('here throws')
  await expect(throws('here', refuse, TypeError)).rejects.toThrow('here throws')
  await expect(throws('here', refuse, RangeError, 'too near')).rejects.toThrow('here: expected')
})
