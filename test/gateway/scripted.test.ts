import { expect, it } from 'vitest'
import { adjustReply, replaces, scriptedReply } from '../../src/gateway/replies/scripted.ts'
import type { GatewayError } from '../../src/gateway/replies/errors.ts'
import type { Reply } from '../../src/gateway/replies/reply.ts'

type Respond = Parameters<typeof adjustReply>[1]

const refuse = (error: GatewayError): Reply => error.reply('id')
const reply = (respond: Respond): Reply => scriptedReply(respond, refuse, 0)

it.each([
  [400, 'Invalid request'],
  [401, 'Invalid token'],
  [403, 'Forbidden'],
  [404, 'Not found'],
  [408, 'Request timeout'],
  [409, 'Conflict'],
  [418, 'Status 418'],
  [429, 'Too many requests'],
  [500, 'Internal server error'],
  [502, 'Bad gateway'],
  [503, 'Service unavailable'],
  [504, 'Gateway timeout'],
])('refuses with the status %i, and the message %s', (status, message) => {
  const { status: sent, body } = reply({ status })
  expect([sent, JSON.parse(body as string)]).toEqual([
    status,
    { error: { code: '', message: `${message} (request id: id)`, type: 'new_api_error' } },
  ])
})

it('gives an error its own message, code and type, with 500 by default', () => {
  const { status, body } = reply({ error: { message: 'slow down', code: 'busy', type: 'limit' } })
  expect([status, JSON.parse(body as string)]).toEqual([
    500,
    { error: { code: 'busy', message: 'slow down (request id: id)', type: 'limit' } },
  ])
})

it('gives a drawing code with 200 by default', () => {
  const { status, body } = reply({ code: 23, description: 'the queue is full' })
  const envelope = { code: 23, description: 'the queue is full', result: null, properties: {} }
  expect([status, JSON.parse(body as string)]).toEqual([200, envelope])
  expect(JSON.parse(reply({ code: 1 }).body as string)).toMatchObject({ description: '' })
})

it('sends a body as it is: text as text, all else as JSON', () => {
  expect(reply({ body: 'plain' })).toMatchObject({
    status: 200,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: 'plain',
  })
  expect(
    reply({ body: { a: [1] }, status: 201, headers: { 'content-type': 'application/problem+json' } }),
  ).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/problem+json' },
    body: '{"a":[1]}',
  })
})

it('says in Retry-After when to come back, in whole seconds or as a date', () => {
  const after = (respond: Respond): unknown => reply({ status: 429, ...respond }).headers['Retry-After']
  expect(after({})).toBe(undefined)
  expect(after({ retryAfter: 'auto' })).toBe('1')
  expect(after({ retryAfter: '1500ms' })).toBe('2')
  expect(after({ retryAfter: '1500ms', retryAfterFormat: 'date' })).toBe('Thu, 01 Jan 1970 00:00:02 GMT')
})

it('spells headers of the server as transports do, and leaves some to it', () => {
  const headers = { date: 'never', 'keep-alive': 'timeout=1', CONNECTION: 'close', 'x-own': 'a' }
  expect(reply({ body: '', headers }).headers).toEqual({
    'Content-Type': 'text/plain; charset=utf-8',
    Date: 'never',
    'Keep-Alive': 'timeout=1',
    Connection: 'close',
    'x-own': 'a',
  })
  expect(reply({ body: '', headers: { connection: 'keep-alive' } }).headers).not.toHaveProperty('Connection')
})

it.each<[Respond, boolean]>([
  [{}, false],
  [{ status: 201 }, false],
  [{ status: 399 }, false],
  [{ status: 400 }, true],
  [{ body: null }, true],
  [{ code: 1 }, true],
  [{ error: {} }, true],
  [{ headers: { 'x-a': 'b' } }, false],
])('replaces the response of the gateway by %j: %s', (respond, isReplaced) => {
  expect(replaces(respond)).toBe(isReplaced)
})

it('leaves out fields, at any depth, and all else as it was', () => {
  const own: Reply = {
    status: 200,
    headers: { 'X-Own': 'a' },
    body: '{"a":{"b":[1,2,3],"c":1},"d":2}',
    delayMs: 0,
  }
  for (const item of ['a.b.1', 'a.b[1]'])
    expect(adjustReply(own, { omit: [item, 'd'] }, 0).body).toBe('{"a":{"b":[1,3],"c":1}}')
  expect(adjustReply(own, { omit: ['a.c.x', 'none'] }, 0).body).toBe(own.body)
  expect(adjustReply({ ...own, body: 'no JSON' }, { omit: ['a'] }, 0).body).toBe('no JSON')
  expect(adjustReply(own, { status: 202, headers: { 'x-own': 'b' } }, 0)).toEqual({
    ...own,
    status: 202,
    headers: { 'x-own': 'b' },
  })
})

it('leaves the headers of a rule to media until its bytes are rendered', () => {
  const conditions = { method: 'GET', range: 'bytes=0-1' }
  const media = { status: 200, headers: { 'X-Own': 'a' }, body: { media: 1, conditions }, delayMs: 0 }
  expect(adjustReply(media as unknown as Reply, { headers: { 'x-own': 'b' } }, 0)).toEqual({
    ...media,
    body: { media: 1, conditions: { ...conditions, instead: { 'x-own': 'b' } } },
  })
})
