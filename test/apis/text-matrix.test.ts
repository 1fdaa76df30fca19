import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { openSocket } from '../support/transports.ts'
import { postJson } from '../support/text.ts'

const model = 'sim-text-1'
const native = (name = model): string => `/v1beta/models/${name}:generateContent`
const chat = '/v1/chat/completions'
const contents = (text: string): object => ({ contents: [{ parts: [{ text }] }] })
const messages = (text: string, fields: object = {}): object => ({
  model,
  messages: [{ role: 'user', content: text }],
  ...fields,
})
const withId = (text: string): unknown =>
  expect.stringMatching(new RegExp(`^${text} \\(request id: \\w{39}\\)$`))

type Answer = [status: number, error: object]
const abort = (status: number, text: string, code = ''): Answer => [
  status,
  { code, message: withId(text), type: 'new_api_error' },
]
const relay = (status: number, text: string, code: string): Answer => [
  status,
  { message: withId(text), type: 'new_api_error', param: '', code },
]
const passedOn = (status: number, message: string, type: string, code: string | number): Answer => [
  status,
  { message, type, param: '', code },
]

const doubled = 'Invalid request: Invalid request:'
const known = { models: [{ name: model }] }
const noChannel = 'No available channel for model unknown under group default \\(distributor\\)'
const empty = '用户额度不足, 剩余额度: ＄0\\.000000'

type ErrorFields = object & { readonly code?: unknown }

interface Row {
  native?: [path: string, body: unknown, ...Answer]
  chat: [body: unknown, ...Answer]
  options?: EmbeddedOptions
  key?: string
}

const badKey =
  'Invalid token. The key must start with sk-, such as sk-test. Without configured keys, any such key works.'

/** Who refuses what, and how. Native errors have these fields, too, but for their code. */
const rows: Readonly<Record<string, Row>> = {
  'a bad key': {
    key: 'nonsense',
    native: [native(), contents('hi'), ...abort(401, badKey)],
    chat: [messages('hi'), ...abort(401, badKey)],
  },
  'malformed JSON': {
    native: [native(), '{', ...relay(400, 'invalid JSON request body', 'invalid_request')],
    chat: ['{', ...abort(400, `${doubled} invalid JSON request body`)],
  },
  'a bad key with malformed JSON': {
    key: 'nonsense',
    native: [native(), '{', ...abort(401, badKey)],
    chat: ['{', ...abort(401, badKey)],
  },
  'no model': {
    chat: [
      messages('hi', { model: '' }),
      ...abort(400, 'Model name not specified, model name cannot be empty'),
    ],
  },
  'a model that is not a text': {
    chat: [messages('hi', { model: 5 }), ...abort(400, `${doubled} field model must be a string`)],
  },
  'an unknown model': {
    options: known,
    native: [native('unknown'), contents('hi'), ...abort(503, noChannel, 'model_not_found')],
    chat: [messages('hi', { model: 'unknown' }), ...abort(503, noChannel, 'model_not_found')],
  },
  'an unknown model and no messages': {
    options: known,
    native: [native('unknown'), {}, ...abort(503, noChannel, 'model_not_found')],
    chat: [{ model: 'unknown' }, ...abort(503, noChannel, 'model_not_found')],
  },
  "a model that isn't the key's": {
    options: { keys: [{ key: 'sk-test', models: ['other'] }] },
    native: [native(), contents('hi'), ...abort(403, `This token has no access to model ${model}`)],
    chat: [messages('hi'), ...abort(403, `This token has no access to model ${model}`)],
  },
  'no messages': {
    native: [native(), {}, ...relay(400, 'contents is required', 'invalid_request')],
    chat: [{ model }, ...relay(400, 'field messages is required', 'invalid_request')],
  },
  'an empty balance': {
    options: { keys: [{ key: 'sk-test', balance: 0 }] },
    native: [native(), contents('hi'), ...relay(403, empty, 'insufficient_user_quota')],
    chat: [messages('hi'), ...relay(403, empty, 'insufficient_user_quota')],
  },
  'no messages on an empty balance': {
    options: { keys: [{ key: 'sk-test', balance: 0 }] },
    native: [native(), {}, ...relay(400, 'contents is required', 'invalid_request')],
    chat: [{ model }, ...relay(400, 'field messages is required', 'invalid_request')],
  },
  'a service behind it that refuses': {
    native: [native(), contents('[[error 503: busy]]'), ...passedOn(503, 'busy', 'upstream_error', 503)],
    chat: [messages('[[error 429: busy]]'), ...passedOn(429, 'busy', 'requests', 'rate_limit_exceeded')],
  },
  'a large body': {
    options: { limits: { bodyMegabytes: 0.001 } },
    native: [
      native(),
      contents('x'.repeat(2_000)),
      ...relay(413, 'request body exceeds 0 MB: request body too large', 'read_request_body_failed'),
    ],
    chat: [
      messages('x'.repeat(2_000)),
      ...abort(400, `${doubled} request body exceeds 0 MB: request body too large`),
    ],
  },
}

it.each(Object.entries(rows))('answers %s as the gateway does, in both APIs', async (_name, row) => {
  await using transport = await openSocket({ cacheDir: false, ...row.options })
  const headers = { authorization: `Bearer ${row.key ?? 'sk-test'}` }
  const answered = async (path: string, body: unknown): Promise<Answer> => {
    const response = await postJson(transport, path, body, { headers })
    return [response.status, ((await response.json()) as { error: object }).error]
  }
  if (row.native) {
    const [path, body, status, { code: _code, ...error }] = row.native as [
      string,
      unknown,
      number,
      ErrorFields,
    ]
    expect(await answered(path, body)).toMatchObject([status, { ...error, code: status }])
  }
  const [body, ...answer] = row.chat
  expect(await answered(chat, body)).toEqual(answer)
})
