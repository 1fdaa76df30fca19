import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fitsGlob } from '../../src/engine/glob.ts'

it.each([
  ['video.*', 'video.poll', true],
  ['*', '', true],
  ['*boat*', 'a paper boat in the rain', true],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'acb', false],
  ['a*b*b*c', 'aXbXc', false],
  ['a*b*b*c', 'abbc', true],
  ['ab*ba', 'aba', false],
  ['video.poll', 'video.polls', false],
])('%s and %s: %s', (pattern, text, fits) => {
  expect(fitsGlob(pattern, text)).toBe(fits)
})

it('agrees with the regular expression it stands for', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 3 })
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), piece, piece, (parts, one, other) => {
      const pattern = parts.join('*')
      const text = one + parts.join(other)
      const expression = new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('.*')}$`)
      expect(fitsGlob(pattern, text)).toBe(expression.test(text))
    }),
    { numRuns: 500 },
  )
})
