import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { BodyBudget, readBody, tooLarge } from '../../src/gateway/bodies/body.ts'
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

it('reserves memory for the bodies of several requests together, up to the limit exactly', () => {
  const budget = new BodyBudget(10)
  const [one, two] = [budget.open(), budget.open()]
  one.take(6)
  two.take(4)
  expect(budget.heldBytes).toBe(10)
  two.take(0)
  expect(() => one.take(1)).toThrow('try again later')
  expect(budget.heldBytes).toBe(10)
  one.release()
  expect(budget.heldBytes).toBe(4)
  one.release()
  expect(budget.heldBytes).toBe(4)
  expect(() => two.take(7)).toThrow('try again later')
  two.take(5)
  two.take(1)
  expect(budget.heldBytes).toBe(10)
  two.release()
  one.take(10)
  expect(budget.heldBytes).toBe(10)
})

it('names the limit of the memory in the refusal', () => {
  const refused = (): void => new BodyBudget(3 * 1024 * 1024).open().take(4 * 1024 * 1024)
  expect(refused).toThrow(
    expect.objectContaining({
      status: 503,
      code: 'system_memory_overloaded',
      message: 'bodies of more than 3 MB are being read already; try again later',
    }) as Error,
  )
})

it.each([
  [1024 * 1024, undefined, 'request body exceeds 1 MB'],
  [1_600_000, undefined, 'request body exceeds 1.53 MB'],
  [4 * 1024 * 1024, 'URL-encoded form', 'URL-encoded form exceeds 4 MB'],
])('names the limit of %i bytes for a %s', (limit, what, start) => {
  expect(tooLarge(limit, what)).toMatchObject({
    status: 400,
    code: 'body_too_large',
    message: `Invalid request: Invalid request: ${start}: request body too large`,
  })
  expect(tooLarge(limit, what).body('id')).toMatchObject({
    error: {
      message: expect.stringContaining(`${start}: request body too large (request id: id)`) as unknown,
    },
  })
})

it('reads no body that is announced as larger than the limit', async () => {
  const announced = (announcedBytes?: number): Promise<Uint8Array> => {
    const request = { headers: {}, body: [bytes], announcedBytes } as unknown as GatewayRequest
    return readBody(request, bytes.length, { take: () => {}, release: () => {} })
  }
  expect(await announced()).toEqual(bytes)
  expect(await announced(bytes.length)).toEqual(bytes)
  await expect(announced(bytes.length + 1)).rejects.toThrow('too large')
})

it('adds up the pieces of a body, up to the limit exactly', async () => {
  const piece = new Uint8Array(500).fill(97)
  expect((await read([piece, piece])).text).toBe('a'.repeat(1_000))
  await expect(read([piece, piece, new Uint8Array(1)])).rejects.toThrow('too large')
  expect(await read(undefined)).toEqual({ text: '', taken: [] })
})

it('reserves memory for the content of a compressed body, too', async () => {
  const packed = gzipSync(bytes)
  const { text, taken } = await read(async () => packed, { 'content-encoding': 'gzip' })
  expect([text, taken]).toEqual([bytes.toString(), [packed.length, bytes.length]])
})

it.each([
  ['gzip', gzipSync(bytes)],
  [' X-GZIP ', gzipSync(bytes)],
  ['deflate', deflateSync(bytes)],
  ['br', brotliCompressSync(bytes)],
  ['identity', bytes],
  [' ', bytes],
])('decompresses a body with the encoding %j', async (encoding, packed) => {
  expect((await read([packed], { 'content-encoding': encoding })).text).toBe(bytes.toString())
})

it.each(['gzip', 'zip'])('leaves an empty body with the encoding %s empty', async (encoding) => {
  expect(await read([new Uint8Array(0)], { 'content-encoding': encoding })).toEqual({ text: '', taken: [0] })
})

it('quotes at most sixty characters of an unknown encoding', async () => {
  await expect(read([bytes], { 'content-encoding': 'z'.repeat(61) })).rejects.toThrow(
    `Invalid request: Content-Encoding "${'z'.repeat(60)}" is not known; use gzip, deflate or br, one at a time`,
  )
})

it('refuses a body that breaks off, and passes a refusal on', async () => {
  const failing = (error: Error) => async (): Promise<Uint8Array> => Promise.reject(error)
  await expect(read(failing(new Error('reset')))).rejects.toThrow(
    'Invalid request: the body broke off before its end',
  )
  await expect(read(failing(tooLarge(1_000)))).rejects.toThrow('request body exceeds 0 MB')
})
