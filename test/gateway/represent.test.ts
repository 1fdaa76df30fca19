import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRange, represent } from '../../src/gateway/replies/represent.ts'
import type { Conditions } from '../../src/gateway/replies/reply.ts'

const media = { bytes: new TextEncoder().encode('0123456789'), type: 'video/mp4', etag: '"good"' }
const respond = (conditions: Partial<Conditions>): ReturnType<typeof represent> =>
  represent(media, {
    method: 'GET',
    takesRanges: true,
    range: '',
    ifRange: '',
    ifNoneMatch: '',
    headers: {},
    ...conditions,
  })

it.each([
  ['', null],
  ['bytes=0-4', { first: 0, last: 4 }],
  ['bytes=5-', { first: 5, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-99', { first: 0, last: 9 }],
  ['bytes=0-999', { first: 0, last: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=4-2', null],
  ['bytes=0-1,3-4', null],
  ['bytes=-', null],
  ['items=0-1', null],
  ['bytes=a-b', null],
])('reads the range %j', (header, range) => {
  expect(parseRange(header, 10)).toEqual(range)
})

it('sends exactly the bytes of a satisfiable range', () => {
  fc.assert(
    fc.property(fc.nat({ max: 9 }), fc.nat({ max: 20 }), (first, more) => {
      const part = respond({ range: `bytes=${first}-${first + more}` })
      expect(part.status).toBe(206)
      expect(new TextDecoder().decode(part.body!)).toBe('0123456789'.slice(first, first + more + 1))
    }),
  )
})

it.each(['"good"', 'W/"good"', '"bad", "good"', '*'])('answers 304 to If-None-Match %s', (ifNoneMatch) => {
  expect(respond({ ifNoneMatch })).toMatchObject({ status: 304, body: null, headers: { ETag: '"good"' } })
})

it('ignores a range whose If-Range names another version', () => {
  expect(respond({ range: 'bytes=0-1', ifRange: '"old"' }).status).toBe(200)
  expect(respond({ range: 'bytes=0-1', ifRange: '"good"' }).status).toBe(206)
})

it('describes the whole to HEAD and sends none of it', () => {
  const head = respond({ method: 'HEAD', range: 'bytes=0-1' })
  expect(head).toMatchObject({ status: 200, body: null, headers: { 'Content-Length': '10' } })
})
