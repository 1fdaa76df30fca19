import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'
import { needs } from '../support/needs.ts'

const video = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })

/** The text of a refusal, in whichever envelope. */
async function messageOf(response: Response): Promise<string> {
  const body = (await response.json()) as {
    message?: string
    description?: string
    error?: { message: string }
  }
  return body.error?.message ?? body.message ?? body.description ?? ''
}

describeTransports((open) => {
  it.each([
    ['no key', '', 'Send any key that starts with sk-'],
    ['a key without sk-', 'Bearer test', 'The key must start with sk-'],
    ['an endless key', `Bearer sk-${'x'.repeat(600)}`, 'longer than 512 characters'],
  ])('says what to change about %s, in header and message', async (_, authorization, advice) => {
    await using gateway = await open()
    for (const path of ['/v1/models', '/v1/videos/task_1/content', '/mj/task/1/fetch', '/v1beta/models']) {
      const response = await gateway.call(path, { headers: authorization === '' ? {} : { authorization } })
      expect(response.status).toBe(401)
      expect(response.headers.get('x-greenroom-hint')).toContain(advice)
      const message = await messageOf(response)
      expect(message).toMatch(/^Invalid token\. .* \(request id: \w+\)$/)
      expect(message).toContain(advice)
    }
  })

  it('answers unknown and expired keys alike where keys are configured', async () => {
    const keys = ['sk-mine', { key: 'sk-old', expires: '2020-01-01' }]
    await using gateway = await open({ keys })
    const answers = await Promise.all(
      ['sk-other', 'sk-old'].map(async (key) => {
        const response = await gateway.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })
        const message = (await messageOf(response)).replace(/ \(request id: \w+\)$/, '')
        return [response.status, message, response.headers.get('x-greenroom-hint')]
      }),
    )
    const advice =
      'Use one of the configured keys (option keys, flag --keys) that is neither expired nor revoked.'
    expect(answers).toEqual(Array(2).fill([401, `Invalid token. ${advice}`, advice]))
  })

  it.each([
    ['/v1/video/generations', video],
    ['/v1/chat/completions', JSON.stringify({ model: 'sim-text-1', messages: [] })],
    ['/v1beta/models/sim-text-1:generateContent', JSON.stringify({ contents: [] })],
    ['/mj/submit/imagine', JSON.stringify({ prompt: 'a fox' })],
    ['/mj/submit/change', JSON.stringify({ taskId: '1', action: 'UPSCALE', index: 1 })],
  ])('asks for the content type of JSON sent to %s, in header and message', async (path, body) => {
    await using gateway = await open()
    const types: readonly (readonly [string, string])[] = [
      ['text/plain;charset=UTF-8', 'The body was not read: Content-Type is "text/plain;charset=UTF-8".'],
      ['application/x-www-form-urlencoded', 'The body looks like JSON, but was read as a form'],
    ]
    for (const [type, advice] of types) {
      const headers = { authorization: 'Bearer sk-test', 'content-type': type }
      const response = await gateway.call(path, { method: 'POST', headers, body })
      expect(response.headers.get('x-greenroom-hint')).toContain(advice)
      expect(await messageOf(response)).toContain(advice)
    }
  })

  it('gives no advice about the content type of a real form', async () => {
    await using gateway = await open()
    const response = await gateway.call('/v1/video/generations', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test' },
      body: new URLSearchParams({ model: 'video-1', prompt: ' ' }),
    })
    expect(await response.json()).toEqual({
      code: 'invalid_request',
      message: 'prompt is required',
      data: null,
    })
    expect(response.headers.get('x-greenroom-hint')).toBeNull()
  })

  it('shows the advice in the errors of the openai package', async () => {
    await using gateway = await open()
    const client = (path: string, apiKey: string): OpenAI =>
      new OpenAI({ baseURL: gateway.url + path, apiKey, fetch: gateway.fetch, maxRetries: 0 })
    const ask = { model: 'sim-text-1', messages: [{ role: 'user' as const, content: 'hi' }] }
    await expect(client('/v1', 'test').chat.completions.create(ask)).rejects.toThrow(
      '401 Invalid token. The key must start with sk-',
    )
    await expect(client('', 'sk-test').chat.completions.create(ask)).rejects.toThrow(
      'Did you mean POST /v1/chat/completions (chat.complete)?',
    )
    await expect(client('/v1', 'sk-test').moderations.create({ input: 'a fox' })).rejects.toThrow(
      'Moderations are not offered.',
    )
  })
})

describeTransports((open, transport) => {
  // The SDK takes no fetch of its own.
  it.skipIf(transport === 'direct')('shows the advice in the errors of @google/genai', async () => {
    await using gateway = await open()
    const client = (apiKey: string): GoogleGenAI =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })
    await expect(
      client('test').models.generateContent({ model: 'sim-text-1', contents: 'hi' }),
    ).rejects.toThrow('Invalid token. The key must start with sk-')
    await expect(
      client('sk-test').models.generateVideos({ model: 'veo-3', prompt: 'a red kite' }),
    ).rejects.toThrow('Videos are made by POST /v1/video/generations (video.submit).')
  })
})

it.each([
  ['5', 'The body is a single JSON value. Send an object.'],
  ['null', 'The body is a single JSON value. Send an object.'],
  ['[]', 'The body is a JSON array. Send a JSON object.'],
  ['', 'The body is empty. Send a JSON object.'],
])('says of the body %j why it is not read', async (body, advice) => {
  await using sim = createSimulator({ cacheDir: false })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const response = await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
  expect(response.headers.get('x-greenroom-hint')).toContain(advice)
})

it('says where a key belongs, and which keys there are', async () => {
  const hintOf = async (options: EmbeddedOptions): Promise<string | null> => {
    await using sim = createSimulator({ cacheDir: false, ...options })
    return (await sim.fetch('/v1/models')).headers.get('x-greenroom-hint')
  }
  const place = 'in the header Authorization: Bearer KEY.'
  expect(await hintOf({})).toContain(`The request has no key. Send any key that starts with sk- ${place}`)
  expect(await hintOf({ keys: ['sk-a'] })).toContain(`The request has no key. Send a configured key ${place}`)
})

it("names the header of Anthropic's clients to a request for messages without a key", async () => {
  needs('messages.create')
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch('/v1/messages', { method: 'POST' })
  const hint = 'The request has no key. Send any key that starts with sk- in the header x-api-key.'
  expect(response.headers.get('x-greenroom-hint')).toContain(hint)
})
