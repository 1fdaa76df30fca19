import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HeaderLines } from '../../src/transports/http/http-at-once.ts'

it('writes headers that come again as it would write each for the first time', () => {
  const name = fc.oneof(fc.constantFrom('Date', 'X-A', 'x.b', 'a b', ''), fc.string({ maxLength: 4 }))
  const value = fc.oneof(fc.constantFrom('a', 'b', 'é', 'a\r\nX-B: c'), fc.string({ maxLength: 4 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { minLength: 20, maxLength: 60 }), (headers) => {
      const lines = new HeaderLines()
      for (const [one, said] of headers) expect(lines.of(one, said)).toBe(new HeaderLines().of(one, said))
    }),
  )
})

it('leaves what would begin another header, or is not of one byte, to node:http', () => {
  const lines = new HeaderLines()
  for (const value of ['a\r\nX-B: c', 'é', '\0']) expect(lines.of('X-A', value)).toBeUndefined()
  expect(lines.of('x.b', 'c')).toBeUndefined()
  expect(lines.of('X-A', 'b')).toBe('X-A: b\r\n')
})
