import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openWatched } from './open.ts'

const bomb = Buffer.from(`{"model":"video-1","prompt":"${'x'.repeat(3_000_000)}"}`)

async function send(body: Uint8Array, encoding: string): Promise<string> {
  await using server = await openWatched({ limits: { bodyMegabytes: 1 } })
  const response = await fetch(`${server.url}/v1/video/generations`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk-test',
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body: body as BodyInit,
  })
  expect(server.mistakes).toEqual([])
  return `${response.status} ${await response.text()}`
}

it.each([
  ['gzip', gzipSync(bomb)],
  ['deflate', deflateSync(bomb)],
  ['br', brotliCompressSync(bomb)],
])('refuses a body that unpacks to more than it may: %s', async (encoding, packed) => {
  expect(packed.length).toBeLessThan(10_000)
  expect(await send(packed, encoding)).toMatch(/^400 .*request body exceeds 1 MB/)
})

it.each([
  ['gzip', gzipSync(bomb).subarray(0, 100)],
  ['gzip', Buffer.from('not packed at all')],
  ['deflate', Buffer.from([0x78, 0x9c, 0xff])],
  ['br', Buffer.from([0xff, 0xff])],
  ['gzip, gzip', gzipSync(gzipSync('{}'))],
  ['zstd', Buffer.from('{}')],
])('refuses what is not %s', async (encoding, body) => {
  expect(await send(body, encoding)).toMatch(/^400 .*(?:as its Content-Encoding says|is not known)/)
})
