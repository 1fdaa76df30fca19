import { expect, it } from 'vitest'
import { readPath, valuesAt } from '../../../src/scenario/schema/body-path.ts'

it.each([
  ['model', ['model']],
  ['$.model', ['model']],
  ['$', []],
  ['messages[0].content', ['messages', 0, 'content']],
  ['messages[12][3]', ['messages', 12, 3]],
  ['contents[*].parts[*].text', ['contents', '*', 'parts', '*', 'text']],
  ["$['a.b']['c d'].e", ['a.b', 'c d', 'e']],
  ['["it\'s"]', ["it's"]],
  ["['12']", ['12']],
  ['a.*', ['a', '*']],
])('reads the path %s', (path, steps) => {
  expect(readPath(path)).toEqual(steps)
})

it.each(['a[', 'a]', 'a[x]', 'a[-1]', 'a[1234567]', 'a..b', 'a.', "a['b]", '[]'])(
  'refuses the path %s',
  (path) => {
    expect(readPath(path)).toBeNull()
  },
)

const body = { messages: [{ role: 'user' }, { role: 'model' }, 'plain', null], size: { width: 2 } }

it.each([
  ['size.width', [2]],
  ['size.height', []],
  ['size.constructor', []],
  ['messages[1].role', ['model']],
  ['messages[9]', []],
  ['messages[*].role', ['user', 'model']],
  ['*.width', [2]],
  ['size.width.more', []],
])('finds the values at %s', (path, values) => {
  expect(valuesAt(body, readPath(path)!)).toEqual(values)
})

it('searches at most 1000 values of a list, and in all', () => {
  const many = Array.from({ length: 1_001 }, (_, index) => index)
  expect(valuesAt(many, ['*'])).toEqual(many.slice(0, 1_000))
  expect(valuesAt([many, many], ['*', '*'])).toEqual(many.slice(0, 1_000))
})
