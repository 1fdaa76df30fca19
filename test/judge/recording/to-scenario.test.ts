import { describe, expect, it } from 'vitest'
import type { ObservedExchange } from '../../../src/judge/recording/observed.ts'
import { scenarioOfRecording } from '../../../src/judge/recording/to-scenario.ts'
import { needs } from '../../support/needs.ts'

const options = { name: 'recorded', prompts: true }

/** A chat whose words come after these waits, in milliseconds. */
function chat(waitsMs: readonly number[], more: Partial<ObservedExchange> = {}): ObservedExchange {
  let atMs = 1_000
  const words = waitsMs.map((waitMs, index) => {
    const data = JSON.stringify({ choices: [{ delta: { content: `${index ? ' ' : ''}word` } }] })
    return { atMs: (atMs += waitMs), text: `data: ${data}\n\n` }
  })
  return {
    method: 'POST',
    path: '/v1/chat/completions',
    atMs: 0,
    headersAtMs: 1_000,
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    sent: { model: 'a-model', stream: true, messages: [{ role: 'user', content: 'Why?' }] },
    key: 'sk-mine',
    received: [...words, { atMs, text: 'data: [DONE]\n\n' }],
    bytes: 1_000,
    ...more,
  }
}

const streamOf = (exchange: ObservedExchange): unknown =>
  scenarioOfRecording([exchange], options).rules?.[0]?.stream

it('keeps the pace of a stream, and its longest pause apart from it', () => {
  expect(streamOf(chat([300, 50, 50, 50]))).toEqual({
    text: 'word word word word',
    chunk: 'token',
    firstToken: '300ms',
    gap: '50ms',
  })
  expect(streamOf(chat([300, 50, 50, 2_050, 50]))).toMatchObject({
    gap: '50ms',
    stall: { afterChunk: 3, for: '2000ms' },
  })
})

it('says where a stream was cut or broken', () => {
  const whole = chat([10, 10, 10])
  const cut = { ...whole, received: whole.received.slice(0, 3) }
  expect(streamOf(cut)).toMatchObject({ text: 'word word word and so on', cut: 3 })
  expect(streamOf({ ...cut, broken: 'reset' })).toMatchObject({ error: { afterChunk: 3, kind: 'reset' } })
  expect(streamOf({ ...cut, broken: 'client' })).not.toHaveProperty('error')
})

it('reads events that come in parts, with any line ends', () => {
  const whole = chat([10, 10])
  const text = whole.received
    .map((each) => each.text)
    .join('')
    .replaceAll('\n', '\r\n')
  const received = Array.from(text, (character, index) => ({ atMs: 1_000 + index, text: character }))
  expect(streamOf({ ...whole, received })).toMatchObject({ text: 'word word' })
})

it('writes the delay of slow responses only', () => {
  const models = (headersAtMs: number): ObservedExchange => ({
    ...chat([]),
    method: 'GET',
    path: '/v1/models',
    headersAtMs,
    headers: { 'content-type': 'application/json' },
    received: [{ atMs: headersAtMs, text: '{}' }],
  })
  const { rules } = scenarioOfRecording([models(49), models(12_000)], options)
  expect(rules).toMatchObject([{ on: 1 }, { on: 2, delay: '12s' }])
  expect(rules![0]).not.toHaveProperty('delay')
})

it('writes no key of a prompt', () => {
  const content = 'with a-key-without-a-form and sk-proj-0123456789abcdef'
  const sent = { model: 'a-model', messages: [{ role: 'user', content }] }
  const { drive } = scenarioOfRecording([chat([], { key: 'a-key-without-a-form', sent })], options)
  expect(drive).toEqual([{ flow: 'chat', prompt: 'with sk-alias and sk-alias' }])
})

it('writes no key, wherever a response has it', () => {
  const key = 'a-key-without-a-form'
  const body = { error: { message: `bad ${key}`, url: `https://a.example/?api_key=${key}x&n=1` } }
  const exchange = {
    ...chat([]),
    status: 401,
    key,
    received: [{ atMs: 1, text: JSON.stringify(body) }],
    headers: {},
  }
  const text = JSON.stringify(scenarioOfRecording([exchange], options))
  expect(text).not.toContain(key)
  expect(text).toContain('n=1')
})

it('puts no prompt into the file if none is wanted, also none that a response repeats', () => {
  const body = { error: { message: 'No "Why?" please' } }
  const exchange = {
    ...chat([]),
    status: 400,
    received: [{ atMs: 1, text: JSON.stringify(body) }],
    headers: {},
  }
  expect(JSON.stringify(scenarioOfRecording([exchange, chat([1])], options))).toContain('Why?')
  expect(
    JSON.stringify(scenarioOfRecording([exchange, chat([1])], { ...options, prompts: false })),
  ).not.toContain('Why?')
})

describe('the body of a recorded answer', () => {
  const models = (body: unknown, more: Partial<ObservedExchange> = {}): ObservedExchange => ({
    ...chat([]),
    method: 'GET',
    path: '/v1/models',
    headersAtMs: 10,
    headers: { 'content-type': 'application/json' },
    received: [{ atMs: 10, text: JSON.stringify(body) }],
    ...more,
  })
  const answerTo = (exchange: ObservedExchange): unknown =>
    scenarioOfRecording([exchange], options).rules?.[0]?.respond

  it('is written as it was, lists as lists', () => {
    const body = { data: [{ id: 'model-a', tags: ['text', 'sk-0123456789abcdef0123'] }] }
    expect(answerTo(models(body))).toEqual({
      body: { data: [{ id: 'model-a', tags: ['text', 'sk-alias'] }] },
    })
  })

  it('contains a key in no text that a key was split over, and keeps its list', () => {
    const texts = ['sk-mine-and-', 'secret'].map((text) => ({ parts: [{ text }] }))
    expect(answerTo(models(texts, { key: 'sk-mine-and-secret' }))).toEqual({
      body: [{ parts: [{ text: 'sk-alias' }] }, { parts: [{ text: '' }] }],
    })
  })

  it('is left out if it is long', () => {
    expect(answerTo(models({ text: 'a '.repeat(200_000) }))).toBeUndefined()
  })

  it('contains no media', () => {
    const body = { image: `data:image/png;base64,${'A'.repeat(50)}`, name: 'kite' }
    expect(answerTo(models(body))).toEqual({ body: { image: '', name: 'kite' } })
  })
})

it('records the text of a streamed message, without its thoughts', () => {
  needs('messages.create')
  const received = [
    { type: 'message_start', message: {} },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'It rains' } },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
    { type: 'message_stop' },
  ].map((data) => ({ atMs: 1_000, text: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n` }))
  expect(streamOf(chat([], { path: '/v1/messages', received }))).toMatchObject({
    text: 'It rains',
    finishReason: 'max_tokens',
  })
})

it('records the first of several candidates of a stream', () => {
  const event = (index: number, text: string): string =>
    `data: ${JSON.stringify({ candidates: [{ index, content: { parts: [{ text }] } }] })}\n\n`
  const received = [event(1, 'no'), event(0, 'yes'), event(1, 'never'), event(0, ', always')].map((text) => ({
    atMs: 1_000,
    text,
  }))
  const path = '/v1beta/models/a-model:streamGenerateContent'
  expect(streamOf(chat([], { path, query: 'alt=sse', received }))).toMatchObject({
    text: expect.stringMatching(/^yes, always/) as unknown,
  })
})
