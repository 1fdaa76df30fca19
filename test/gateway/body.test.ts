import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readBody } from '../../src/gateway/bodies/body.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'

const bytes = Buffer.from('{"prompt":"a kite"}')

/** Reads a body of at most 1,000 bytes, and notes the memory that it takes. */
async function read(body: GatewayRequest['body'] | Uint8Array[], headers: Record<string, string> = {}) {
  const taken: number[] = []
  const held = { take: (size: number) => taken.push(size), release: () => {} }
  const request = { method: 'POST', headers, body } as unknown as GatewayRequest
  return { text: Buffer.from(await readBody(request, 1_000, held)).toString(), taken }
}

it('takes memory for a body that comes at once as for one that comes in pieces', async () => {
  const text = bytes.toString()
  expect(await read(async () => bytes)).toEqual({ text, taken: [bytes.length] })
  expect(await read([bytes.subarray(0, 4), bytes.subarray(4)])).toEqual({
    text,
    taken: [4, bytes.length - 4],
  })
})

it('unpacks a body as its Content-Encoding says, and refuses one that is packed in no such way', async () => {
  const packed = gzipSync(bytes)
  expect((await read([packed], { 'content-encoding': 'gzip' })).text).toBe(bytes.toString())
  expect((await read([packed], {})).text).toBe(packed.toString())
  await expect(read([bytes], { 'content-encoding': 'gzip' })).rejects.toThrow(
    'the body is not gzip as its Content-Encoding says',
  )
  await expect(read([bytes], { 'content-encoding': 'zip' })).rejects.toThrow('"zip" is not known')
})

it('takes a body of exactly the largest size, and no larger one, packed or not', async () => {
  const largest = new Uint8Array(1_000)
  expect((await read(async () => largest)).text).toHaveLength(1_000)
  await expect(read(async () => new Uint8Array(1_001))).rejects.toThrow('too large')
  await expect(read([gzipSync(new Uint8Array(100_000))], { 'content-encoding': 'gzip' })).rejects.toThrow(
    'too large',
  )
})
