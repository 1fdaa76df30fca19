import { beforeAll, expect, it } from 'vitest'
import { fitsValue, maxMatchedCharacters, needsPatterns, readMatch } from '../../src/scenario/rules/match.ts'
import { loadPatterns } from '../../src/scenario/schema/patterns.ts'
import type { RuleMatch, ValueMatch } from '../../src/scenario/vocabulary/types.ts'

beforeAll(loadPatterns)

it.each<[ValueMatch, unknown[], boolean]>([
  ['5', ['5'], true],
  ['5', [5], false],
  [5, [4, 5], true],
  [null, [null], true],
  [null, [], false],
  [true, [true], true],
  [{ equals: 5 }, [5], true],
  [{ equals: 5 }, ['5'], false],
  [{ in: ['a', null] }, [null], true],
  [{ in: ['a', 'b'] }, ['c'], false],
  [{ exists: true }, ['x'], true],
  [{ exists: true }, [], false],
  [{ exists: false }, [], true],
  [{ exists: false }, ['x'], false],
  [{ glob: 'video-*' }, ['video-1'], true],
  [{ glob: 'video-*' }, ['image-1'], false],
  [{ glob: '1*' }, [12], true],
  [{ glob: '*' }, [null], false],
  [{ glob: '*' }, [{}], false],
  [{ glob: '*' }, [undefined], false],
  [{ contains: 'boat' }, ['a boat'], true],
  [{ contains: 'boat' }, ['a kite', 'a boat'], true],
  [{ contains: 'boat' }, ['a kite'], false],
  [{ contains: 'null' }, [null], false],
  [{ regex: '^a.$' }, ['ab'], true],
  [{ regex: '^a.$' }, ['AB'], false],
  [{ regex: '^a.$', flags: 'i' }, ['AB'], true],
  [{ not: { contains: 'boat' } }, ['a kite'], true],
  [{ not: { contains: 'boat' } }, ['a boat'], false],
  [{ not: { contains: 'boat' } }, [], true],
  [{ not: { not: 'x' } }, ['x'], true],
])('matches %j with the values %j: %s', (wanted, values, fits) => {
  expect(fitsValue(wanted, values)).toBe(fits)
})

it('matches only the start of a long text', () => {
  const text = `${'a'.repeat(maxMatchedCharacters)}b`
  expect([fitsValue({ contains: 'b' }, [text]), fitsValue({ contains: 'b' }, [text.slice(1)])]).toEqual([
    false,
    true,
  ])
})

it.each<[ValueMatch, boolean]>([
  ['regex', false],
  [null, false],
  [{ glob: '*' }, false],
  [{ regex: 'a' }, true],
  [{ not: { regex: 'a' } }, true],
  [{ not: 'regex' }, false],
])('tells whether %j needs the engine for regular expressions: %s', (wanted, needs) => {
  expect(needsPatterns(wanted)).toBe(needs)
})

it.each<[Partial<RuleMatch>, boolean]>([
  [{ body: { a: { regex: 'a' } } }, true],
  [{ form: { a: { regex: 'a' } } }, true],
  [{ headers: { a: { regex: 'a' } } }, true],
  [{ query: { a: { regex: 'a' } } }, true],
  [{ key: { regex: 'a' } }, true],
  [{ namespace: { regex: 'a' } }, true],
  [{ state: { regex: 'a' } }, true],
  [{ state: 'queued', key: 'sk-a', body: { a: 'regex' } }, false],
])('finds a regular expression in the match %j: %s', (match, needs) => {
  expect(readMatch({ op: '*', ...match }).needsPatterns).toBe(needs)
})
