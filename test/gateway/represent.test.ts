import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRange, represent } from '../../src/gateway/replies/represent.ts'
import type { Conditions } from '../../src/gateway/replies/reply.ts'

const media = { bytes: new TextEncoder().encode('0123456789'), type: 'video/mp4', etag: '"good"' }
const respond = (conditions: Partial<Conditions>): ReturnType<typeof represent> =>
  represent(media, {
    method: 'GET',
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

const tagged = { ETag: '"good"', 'Accept-Ranges': 'bytes' }
const typed = { ...tagged, 'Content-Type': 'video/mp4' }

it.each<[Partial<Conditions>, number, string | null, Record<string, string>]>([
  [{}, 200, '0123456789', { ...typed, 'Content-Length': '10' }],
  [{ headers: { 'X-Own': 'a' } }, 200, '0123456789', { ...typed, 'Content-Length': '10', 'X-Own': 'a' }],
  [
    { mediaType: 'image/png' },
    200,
    '0123456789',
    { ...typed, 'Content-Type': 'image/png', 'Content-Length': '10' },
  ],
  [{ ifNoneMatch: '"good"' }, 304, null, tagged],
  [{ ifNoneMatch: ' * ' }, 304, null, tagged],
  [{ ifNoneMatch: 'x"good"' }, 200, '0123456789', { ...typed, 'Content-Length': '10' }],
  [{ range: 'bytes=10-' }, 416, null, { ...tagged, 'Content-Range': 'bytes */10', 'Content-Length': '0' }],
  [
    { range: 'BYTES= 2-4 ' },
    206,
    '234',
    { ...typed, 'Content-Range': 'bytes 2-4/10', 'Content-Length': '3' },
  ],
  [{ range: 'bytes=9-' }, 206, '9', { ...typed, 'Content-Range': 'bytes 9-9/10', 'Content-Length': '1' }],
  [
    { range: 'bytes=-10' },
    206,
    '0123456789',
    { ...typed, 'Content-Range': 'bytes 0-9/10', 'Content-Length': '10' },
  ],
  [{ method: 'POST', range: 'bytes=0-1' }, 200, '0123456789', { ...typed, 'Content-Length': '10' }],
])('represents the bytes for %j with %i', (conditions, status, text, headers) => {
  const found = respond(conditions)
  expect([found.status, found.body && new TextDecoder().decode(found.body), found.headers]).toEqual([
    status,
    text,
    headers,
  ])
})

it.each([
  ['xbytes=0-1', null],
  ['bytes=0-1x', null],
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=4-4', { first: 4, last: 4 }],
  ['bytes=10-10', 'unsatisfiable'],
  ['bytes=-1', { first: 9, last: 9 }],
])('reads the limits of the range %j', (header, range) => {
  expect(parseRange(header, 10)).toEqual(range)
})
