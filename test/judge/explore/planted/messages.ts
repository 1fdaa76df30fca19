import { Refused, retryAfterMs, type Gateway } from './video.ts'

/** An event of a stream, with the fields of all types. */
export interface MessageEvent {
  readonly type: string
  readonly delta?: { readonly text?: string; readonly stop_reason?: string }
  readonly error?: { readonly type: string; readonly message: string }
}

/** What has come of a message. */
export interface Received {
  readonly text: string
  readonly isBegun: boolean
  readonly stopReason: string | undefined
  readonly hasStopped: boolean
}

/** A message that a repetition can't help. */
export class Unusable extends Error {}

const nothing: Received = { text: '', isBegun: false, stopReason: undefined, hasStopped: false }

/** What the client does at each point where clients go wrong. A planted bug replaces one of them. */
export const careful = {
  attempts: 5,
  timeoutMs: 300_000,
  canRetry: (error: unknown): boolean => {
    if (error instanceof Refused) return error.status === 429 || error.status >= 500
    return !(error instanceof Unusable)
  },
  delayMs: (failures: number, error: unknown): number => Math.max(1_000 * 2 ** failures, retryAfterMs(error)),
  /** The text of whole events, and what is left. */
  split: (text: string): string[] => text.split(/\r\n\r\n|\n\n|\r\r/),
  /** What an attempt begins with, after what the last one received. */
  beginWith: (_received: Received): Received => nothing,
  read: (received: Received, { type, delta, error }: MessageEvent): Received => {
    if (type === 'error') throw new Error(error?.message ?? 'an error without a message')
    if (type === 'message_start') {
      if (received.isBegun) throw new Error('the message began twice')
      return { ...received, isBegun: true }
    }
    if (type === 'content_block_delta') return { ...received, text: received.text + (delta?.text ?? '') }
    if (type === 'message_delta') return { ...received, stopReason: delta?.stop_reason }
    return type === 'message_stop' ? { ...received, hasStopped: true } : received
  },
  finish: ({ text, stopReason, hasStopped }: Received): string => {
    if (!hasStopped) throw new Error('the stream was cut')
    if (stopReason !== 'end_turn') throw new Unusable(`the message ended by ${stopReason}`)
    return text
  },
}

export type Habits = typeof careful

/** Streams a message of the Messages API, until it is whole. */
export async function askForMessage(
  prompt: string,
  { fetch, sleep, baseUrl, key }: Gateway,
  habits: Habits = careful,
): Promise<string> {
  const body = JSON.stringify({
    model: 'sim-text-1',
    max_tokens: 500,
    stream: true,
    messages: [{ role: 'user', content: prompt }],
  })
  const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
  let received = nothing
  const attempt = async (): Promise<string> => {
    const signal = habits.timeoutMs < Infinity ? { signal: AbortSignal.timeout(habits.timeoutMs) } : {}
    const response = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body, ...signal })
    if (!response.ok) throw new Refused('submit', response)
    received = habits.beginWith(received)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const packet of response.body as unknown as AsyncIterable<Uint8Array>) {
      const events = habits.split(rest + decoder.decode(packet, { stream: true }))
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = readData(event)
        if (data !== '') received = habits.read(received, JSON.parse(data) as MessageEvent)
      }
    }
    return habits.finish(received)
  }
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (failures >= habits.attempts || !habits.canRetry(error)) throw error
      await sleep(habits.delayMs(failures, error))
    }
  }
}

/** The data of an event, whose lines may be several. */
function readData(event: string): string {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
}
