import { expect, it } from 'vitest'
import { definitionStart } from '../../src/engine/operations/own-api.ts'
import { TimelineError } from '../../src/engine/tasks/plan-task.ts'
import {
  abortError,
  asGatewayError,
  contentError,
  definitionError,
  GatewayError,
  invalidUrl,
  joinSentences,
  notImplemented,
  relayError,
  storageUnavailable,
  taskError,
  upstreamError,
} from '../../src/gateway/replies/errors.ts'

/** What a client gets for something that was thrown, and what is reported. */
function thrown(error: unknown): { status: number; body: unknown; internalError: string | undefined } {
  const refusal = asGatewayError(error)
  const { status, body } = refusal.reply('id')
  return { status, body: JSON.parse(body as string), internalError: refusal.internalError }
}

it.each([
  [new TypeError('x is no function'), 'TypeError: x is no function'],
  ['a text', 'a text'],
])('reports the bug %s, and tells the client nothing of it', (error, bug) => {
  const message = 'Panic detected, error: the simulator failed on this request'
  expect(thrown(error)).toEqual({
    status: 500,
    body: { error: { message, type: 'new_api_panic' } },
    internalError: bug,
  })
})

const envelopes: readonly [string, GatewayError, unknown][] = [
  [
    'E-ABORT',
    abortError(400, 'no', 'bad'),
    { error: { code: 'bad', message: 'no. Do (request id: id)', type: 'new_api_error' } },
  ],
  [
    'E-RELAY',
    relayError(400, 'bad', 'no'),
    { error: { message: 'no. Do (request id: id)', type: 'new_api_error', param: '', code: 'bad' } },
  ],
  [
    'E-UP',
    upstreamError(400, 'no'),
    { error: { message: 'no. Do', type: 'upstream_error', param: '', code: 400 } },
  ],
  [
    'E-UP with its own words',
    upstreamError(400, 'no', { type: 'own', code: null, param: 'prompt' }),
    { error: { message: 'no. Do', type: 'own', param: 'prompt', code: null } },
  ],
  ['E-TASK', taskError(400, 'bad', 'no'), { code: 'bad', message: 'no. Do', data: null }],
  ['E-VID', contentError(400, 'no'), { error: { message: 'no. Do', type: 'invalid_request_error' } }],
]

it.each(envelopes)('puts a refusal with advice into the envelope %s', (_, error, body) => {
  const reply = error.withAdvice('Do').reply('id')
  expect(reply).toMatchObject({ status: 400, headers: { 'X-Greenroom-Hint': 'Do' }, delayMs: 0 })
  expect(JSON.parse(reply.body as string)).toEqual(body)
})

it('gives each refusal its code', () => {
  const codes = [...envelopes.map(([, error]) => error.code), storageUnavailable('full').code]
  expect(codes).toEqual(['bad', 'bad', '400', 'null', 'bad', '', 'system_disk_overloaded'])
})

it('names the path that is not served, or not implemented', () => {
  const unknown = invalidUrl('GET', '/x')
  expect([unknown.status, JSON.parse(unknown.reply('id').body as string)]).toEqual([
    404,
    { error: { message: 'Invalid URL (GET /x)', type: 'invalid_request_error', param: '', code: '' } },
  ])
  const lacking = notImplemented()
  expect([lacking.status, JSON.parse(lacking.reply('id').body as string)]).toEqual([
    501,
    {
      error: {
        message: 'API not implemented',
        type: 'new_api_error',
        param: '',
        code: 'api_not_implemented',
      },
    },
  ])
})

it('sends no body where there is no envelope, and headers in any case', () => {
  const error = new GatewayError(429, 'busy', () => null, { 'X-Own': 'a' })
  expect(error.withHint('wait').withHeaders({ 'X-Own': 'b', 'Retry-After': '1' }).reply('id')).toEqual({
    status: 429,
    headers: { 'X-Own': 'b', 'X-Greenroom-Hint': 'wait', 'Retry-After': '1' },
    body: null,
    delayMs: 0,
  })
  expect([error.text, error.param, error.internalError]).toEqual(['busy', '', undefined])
})

it.each([
  ['no', '', 'no'],
  ['no', 'Do', 'no. Do'],
  ['No.', 'Do', 'No. Do'],
  ['No!', 'Do', 'No! Do'],
  ['No?', 'Do', 'No? Do'],
  ['No.x', 'Do', 'No.x. Do'],
])('joins %j and %j as sentences', (text, more, joined) => {
  expect(joinSentences(text, more)).toBe(joined)
})

it('names the rule whose timeline a task can not follow', () => {
  const { status, body, internalError } = thrown(new TimelineError('timeline: no'))
  const message = "A rule's task.timeline: no (request id: id)"
  expect([status, body, internalError]).toEqual([
    500,
    { error: { code: '', message, type: 'new_api_error' } },
    undefined,
  ])
})

it('passes a refusal on as it is', () => {
  const error = abortError(400, 'no')
  expect(asGatewayError(error)).toBe(error)
})

it('names the place of a mistake in the definition of a user, outside of packages', () => {
  const own = new TypeError('x is no function')
  const packages = '    at f (/app/node_modules/x/index.js:1:2)\n'
  const stackOf = (...lines: string[]): string => `TypeError: x is no function\n${lines.join('')}`
  const messageFor = (stack: string): string => {
    own.stack = stack
    return definitionError('acme.make', 'reply', own).message
  }
  const start = `${definitionStart}acme.make threw in reply: TypeError: x is no function`
  expect(messageFor(stackOf(packages, '    at reply (file:///app/acme.ts:12:5)\n'))).toBe(
    `${start} (acme.ts:12)`,
  )
  expect(messageFor(stackOf('    at /app/acme.ts:3:1\n', packages))).toBe(`${start} (acme.ts:3)`)
  expect(messageFor(stackOf(packages))).toBe(`${start} (index.js:1)`)
  expect(messageFor('')).toBe(start)
  const text = definitionError('acme.make', 'reply', 'it returned a number')
  expect([text.status, text.internalError, text.body('id')]).toEqual([
    500,
    `${definitionStart}acme.make failed in reply: it returned a number`,
    { error: { message: text.internalError } },
  ])
  expect(definitionError('acme.make', 'reply', 'x'.repeat(600)).message).toHaveLength(500)
})
