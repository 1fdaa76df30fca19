import { expect, it } from 'vitest'
import type { ObservedExchange } from '../../../src/judge/recording/observed.ts'
import { toScenario } from '../../../src/judge/recording/to-scenario.ts'

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

const streamOf = (exchange: ObservedExchange): unknown => toScenario([exchange], options).rules?.[0]?.stream

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
  const { rules } = toScenario([models(49), models(12_000)], options)
  expect(rules).toMatchObject([{ on: 1 }, { on: 2, delay: '12s' }])
  expect(rules![0]).not.toHaveProperty('delay')
})

it('writes no key of a prompt', () => {
  const content = 'with a-key-without-a-form and sk-proj-0123456789abcdef'
  const sent = { model: 'a-model', messages: [{ role: 'user', content }] }
  const { drive } = toScenario([chat([], { key: 'a-key-without-a-form', sent })], options)
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
  const text = JSON.stringify(toScenario([exchange], options))
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
  expect(JSON.stringify(toScenario([exchange, chat([1])], options))).toContain('Why?')
  expect(JSON.stringify(toScenario([exchange, chat([1])], { ...options, prompts: false }))).not.toContain(
    'Why?',
  )
})
