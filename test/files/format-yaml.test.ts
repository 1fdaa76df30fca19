import { expect, it } from 'vitest'
import { formatYaml } from '../../src/files/check.ts'

it.each([
  ['kite', 'kite'],
  ['a red kite', 'a red kite'],
  ['5s', '5s'],
  ['1m30s', '1m30s'],
  ['2.5h', '2.5h'],
  ['40%', '40%'],
  ['1280x720', '1280x720'],
  ['1/10s', '1/10s'],
  ['12/1m', '12/1m'],
  ['500ms', '500ms'],
  ['12.25%', '12.25%'],
  ['3d', '3d'],
  ['8x8', '8x8'],
  ['12x', "'12x'"],
  ['15xx', "'15xx'"],
  ['1/', "'1/'"],
  ['5s: 1x1', "'5s: 1x1'"],
  ['5xx', '5xx'],
  ['', "''"],
  ['12', "'12'"],
  ['-1', "'-1'"],
  ['.5', "'.5'"],
  ['True', "'True'"],
  ['null', "'null'"],
  ['~', "'~'"],
  ['a: b', "'a: b'"],
  ['5s: b', "'5s: b'"],
  ['a,b', "'a,b'"],
  ['*', "'*'"],
  ['@here', "'@here'"],
  ['ends ', "'ends '"],
  ["it's #1", "'it''s #1'"],
])('writes the text %j as YAML: %s', (text, yaml) => {
  expect(formatYaml(text)).toBe(yaml)
})

it('writes lists and objects in one line', () => {
  expect(formatYaml({ op: 'video.*', on: [1, 2], 'a,b': null, deep: { chance: 0.5, yes: true } })).toBe(
    "{ op: video.*, 'on': [1, 2], 'a,b': null, deep: { chance: 0.5, 'yes': true } }",
  )
})
