import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { BodyBudget } from '../../src/gateway/bodies/body.ts'
import { readBody } from '../../src/gateway/bodies/body.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'
import { openWatched } from './open.ts'

const bomb = Buffer.from(`{"model":"video-1","prompt":"${'x'.repeat(3_000_000)}"}`)

const arriving = (encoding: string, body: Uint8Array): GatewayRequest => ({
  transport: 'direct',
  method: 'POST',
  target: '/v1/video/generations',
  headers: { 'content-encoding': encoding },
  origin: 'https://gateway.example',
  body: Readable.from([body]),
})

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
  ['gzip', gzipSync(bomb)],
  ['deflate', deflateSync(bomb)],
  ['br', brotliCompressSync(bomb)],
])('unpacks %s no further than there is room for', async (encoding, packed) => {
  const room = new BodyBudget(1_000_000)
  const held = room.open()
  const unpacking = readBody(arriving(encoding, packed), 32_000_000, held)
  await expect(unpacking).rejects.toThrow('are being read already')
  // It noticed before all three million bytes were there.
  expect(room.heldBytes).toBeGreaterThan(packed.length)
  held.release()
  expect(room.heldBytes).toBe(0)
  const fits = await readBody(arriving('gzip', gzipSync('{}')), 32_000_000, held)
  expect(Buffer.from(fits).toString()).toBe('{}')
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
