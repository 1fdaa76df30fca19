import { expect, it } from 'vitest'
import { fitsValue } from '../../src/scenario/rules/match.ts'
import { maxMatchedCharacters } from '../../src/scenario/schema/patterns.ts'
import type { ValueMatch } from '../../src/scenario/vocabulary/types.ts'

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
  [{ regex: '^(?!b)(.)\\1' }, ['aab'], true],
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
