import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import {
  dateHeaders,
  hasHeader,
  headersOf,
  isLeftToServer,
  listHeaders,
  requestIds,
  retryAfterOf,
} from '../../src/gateway/replies/headers.ts'
import { hintHeader, jsonReply } from '../../src/gateway/replies/reply.ts'
import type { JournalEntry } from '../../src/gateway/journal.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'

it('lets any page call the gateway', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const preflight = await sim.fetch('http://gateway.test/v1/models', {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example' },
  })
  expect([preflight.status, await preflight.text()]).toEqual([204, ''])
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET,POST,PUT,DELETE,OPTIONS',
    'access-control-allow-headers': '*, Authorization',
  })
})

it('adds the headers for pages only to requests of pages, unless a rule sets them', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const allowed = async (headers: Record<string, string>): Promise<string | null> => {
    const response = await sim.fetch('http://gateway.test/v1/models', {
      headers: { authorization: 'Bearer sk-test', ...headers },
    })
    return response.headers.get('access-control-allow-origin')
  }
  expect(await allowed({})).toBe(null)
  expect(await allowed({ origin: 'https://page.example' })).toBe('*')
  sim.addRule({
    match: { op: 'models.list' },
    respond: { headers: { 'access-control-allow-origin': 'https://only.example' } },
  })
  expect(await allowed({ origin: 'https://page.example' })).toBe('https://only.example')
})

it.each([
  ['Connection', 'keep-alive', true],
  ['connection', 'disclose', true],
  ['Connection', 'Close', false],
  ['Connection', 'upgrade, close', false],
  ['X-Connection', 'keep-alive', false],
])('leaves the header %s: %s to the server: %s', (name, value, isLeft) => {
  expect(isLeftToServer(name, value)).toBe(isLeft)
})

it('formats each instant as its second', () => {
  const format = dateHeaders()
  expect([0, 999, 1_000, 0].map(format)).toEqual([
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:01 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ])
})

it('limits a hint to what a header may hold', () => {
  expect(hintHeader('Prüfe “das” ~\n')).toEqual({ 'X-Greenroom-Hint': 'Pr?fe ?das? ~?' })
  expect(hintHeader('x'.repeat(501))).toEqual({ 'X-Greenroom-Hint': 'x'.repeat(500) })
})

const common = [
  ['X-Oneapi-Request-Id', 'id'],
  ['X-Request-Id', 'id'],
  ['X-New-Api-Version', 'v0.0.0'],
  ['X-Greenroom-Exchange', 'mine/7'],
  ['X-Greenroom-Time', '5000'],
]
const forPages = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Credentials', 'true'],
]

/** The headers of a response, in pairs. */
function headersFor(
  own: Record<string, string>,
  rules: string[],
  sent: Record<string, string> = {},
): unknown {
  const entry = { requestId: 'id', namespace: 'mine', number: 7, at: 5_000, rules } as unknown as JournalEntry
  const request = { headers: sent } as unknown as GatewayRequest
  const list = headersOf({ status: 200, headers: own, body: null, delayMs: 0 }, request, entry)
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []))
}

it('lists every header of a response once, in order', () => {
  const origin = { origin: 'https://page.example' }
  expect(headersFor({}, [])).toEqual(common)
  expect(headersFor({ 'X-Own': 'a' }, [], origin)).toEqual([...common, ['X-Own', 'a'], ...forPages])
  expect(headersFor({ 'X-Own': 'a' }, ['one', 'zwölf'], origin)).toEqual([
    ...common,
    ['X-Greenroom-Rule', 'one, zw?lf'],
    ['X-Own', 'a'],
    ...forPages,
  ])
  const replaced = { 'x-request-id': 'mine', 'access-control-allow-origin': 'https://page.example' }
  expect(headersFor(replaced, ['one'], origin)).toEqual([
    ...common.filter(([name]) => name !== 'X-Request-Id'),
    ['X-Greenroom-Rule', 'one'],
    ...Object.entries(replaced),
    forPages[1],
  ])
})

it('finds a header by its name, not among the values', () => {
  expect(hasHeader([], 'Date')).toBe(false)
  expect(hasHeader(['X-Own', 'Date'], 'Date')).toBe(false)
  expect(hasHeader(['X-Own', 'a', 'Date', 'today'], 'Date')).toBe(true)
  expect(hasHeader(['Date', 'today'], 'Content-Length')).toBe(false)
})

it('lists headers without those that are left to the server', () => {
  const headers: [string, string][] = [
    ['connection', 'keep-alive'],
    ['x-own', 'a'],
  ]
  expect(listHeaders(headers)).toEqual([['x-own', 'a']])
})

it('makes request ids from second, nanoseconds, build and letters', () => {
  const requestId = requestIds(keyedDraws(1))
  const at = (now: number): string => requestId(now, 'identity', 0)
  expect(at(0)).toMatch(/^19700101000000000\d{6}8268d9d6[A-Za-z0-9]{8}$/)
  expect(at(999)).toMatch(/^19700101000000999\d{6}8268d9d6/)
  expect(at(1_000)).toMatch(/^19700101000001000\d{6}8268d9d6/)
  expect(at(1_007)).toMatch(/^19700101000001007\d{6}8268d9d6/)
  expect(at(Date.UTC(2030, 10, 12, 13, 14, 15))).toMatch(/^20301112131415000/)
  expect(at(0)).toBe(requestIds(keyedDraws(1))(0, 'identity', 0))
  const ids = [at(0), requestId(0, 'other', 0), requestId(0, 'identity', 1)]
  expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(3)
})

it('draws every letter of a request id from bits of its own', () => {
  const words = (...last: number[]): string =>
    requestIds({ ...keyedDraws(1), words: () => Uint32Array.of(1_999_999, ...last) })(0, '', 0)
  expect(words(0, 0, 0)).toBe('197001010000000009999998268d9d600000000')
  const letters = (word: number, shift: number): string => {
    const values = [0, 0, 0]
    values[word - 1] = 2 ** shift
    return words(...values)
      .slice(-8)
      .replaceAll(/[^0]/g, 'x')
  }
  expect([0, 11, 22].map((shift) => [1, 2, 3].map((word) => letters(word, shift)))).toEqual([
    ['x0000000', '000x0000', '000000x0'],
    ['0x000000', '0000x000', '0000000x'],
    ['00x00000', '00000x00', '00000000'],
  ])
})

it.each([
  [{}, null],
  [{ 'Retry-After': '0' }, 0],
  [{ 'Retry-After': '12' }, 12_000],
  [{ 'retry-after': '3' }, 3_000],
  [{ 'Retry-After': 'Thu, 01 Jan 1970 00:00:12 GMT' }, 7_000],
  [{ 'Retry-After': 'Thu, 01 Jan 1970 00:00:02 GMT' }, 0],
  [{ 'Retry-After': 'x12' }, null],
  [{ 'Retry-After': 'soon' }, null],
])('reads how long %j lets a client wait', (headers, waitMs) => {
  expect(retryAfterOf(headers as Record<string, string>, 5_000)).toBe(waitMs)
})

it('gives JSON its content type', () => {
  expect(jsonReply(201, { a: 1 })).toEqual({
    status: 201,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: '{"a":1}',
    delayMs: 0,
  })
})
