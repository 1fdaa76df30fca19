import { expect, it } from 'vitest'
import type { ObservedExchange } from '../../src/judge/recording/observed.ts'
import { scenarioOfRecording } from '../../src/judge/recording/to-scenario.ts'

const key = 'sk-foreign-12345'
const pieces = ['The key is sk', '-foreign-', '12345, keep it.']

/** What the scenario of a single exchange says. */
function record(path: string, type: string, chunks: readonly string[]): string {
  const exchange: ObservedExchange = {
    method: 'POST',
    path,
    atMs: 0,
    headersAtMs: 1,
    status: 200,
    headers: { 'content-type': type },
    sent: { stream: true },
    key: 'sk-own-account-1',
    received: chunks.map((text, index) => ({ atMs: index + 1, text })),
    bytes: 1_000,
  }
  return JSON.stringify(scenarioOfRecording([exchange], { name: 'recorded', prompts: true }))
}

const events = (each: readonly unknown[]): string[] =>
  [...each.map((data) => JSON.stringify(data)), '[DONE]'].map((data) => `data: ${data}\n\n`)

const ofChat = (content: string, index = 0): object => ({ choices: [{ index, delta: { content } }] })
const ofNative = (text: string): object => ({ candidates: [{ index: 0, content: { parts: [{ text }] } }] })
const native = '/v1beta/models/m:streamGenerateContent'
const chat = '/v1/chat/completions'

it.each([
  ['chat', chat, 'text/event-stream', events(pieces.map((piece) => ofChat(piece)))],
  [
    'chat with two answers at a time',
    chat,
    'text/event-stream',
    events(pieces.flatMap((piece) => [ofChat(piece), ofChat(`${key} x`, 1)])),
  ],
  ['native events', native, 'text/event-stream', events(pieces.map(ofNative))],
  ['a native array', native, 'application/json', [JSON.stringify(pieces.map(ofNative))]],
])('removes the key of another account from the text of %s', (_, path, type, chunks) => {
  const scenario = record(path, type, chunks)
  expect(scenario).toContain('The key is sk-alias, keep it.')
  expect(scenario).not.toMatch(/foreign|12345/)
})

it('keeps words that only look like the beginning of a key', () => {
  const text = 'Use sk-learn, sk-something-else or sk-test for it.'
  expect(record(chat, 'text/event-stream', events([ofChat(text)]))).toContain(text)
})
