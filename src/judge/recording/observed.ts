import { createParser } from 'eventsource-parser'
import type { EventData, ObservedEvent } from '../../apis/define/flow.ts'

/** One exchange with a real gateway. Times are in milliseconds since the recording began. */
export interface ObservedExchange {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  readonly query?: string
  readonly atMs: number
  /** The time of the headers; undefined if they never arrived. */
  headersAtMs?: number
  status?: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The fields of the request; empty unless it was JSON. */
  sent: Readonly<Record<string, unknown>>
  /** The key of the request. It is never written. */
  key: string
  /** The parts of the response's text with their times; empty for media. */
  readonly received: { readonly atMs: number; readonly text: string }[]
  bytes: number
  /** How the target broke the exchange, or that the client left. */
  broken?: 'reset' | 'close' | 'client'
}

export function bodyText({ received }: ObservedExchange): string {
  return received.map(({ text }) => text).join('')
}

/** The response as JSON; undefined if it is not JSON. */
export function bodyJson(exchange: ObservedExchange): unknown {
  try {
    return JSON.parse(bodyText(exchange)) as unknown
  } catch {
    return undefined
  }
}

/** The task in the response to a submission. */
export function submittedTask(exchange: ObservedExchange): string | undefined {
  const { task_id: videoId, id, result } = (bodyJson(exchange) ?? {}) as Record<string, unknown>
  return [videoId, id, result].find((each) => typeof each === 'string' && each !== '') as string | undefined
}

/** A streamed text, as it came. */
interface ObservedStream {
  readonly pieces: readonly { readonly atMs: number; readonly text: string }[]
  /** Whether the stream announced its end. */
  readonly isFinished: boolean
  readonly finishReason: string | undefined
  readonly error: { readonly status: number | undefined; readonly message: string } | undefined
}

export function isStream({ headers }: ObservedExchange): boolean {
  return String(headers['content-type']).startsWith('text/event-stream')
}

/**
 * Reads an event stream of a text. An event belongs to the part of the response that completes it.
 * @param readEvent how its API writes an event.
 */
export function readStream({ received }: ObservedExchange, readEvent: ReadEvent): ObservedStream {
  const pieces: { atMs: number; text: string }[] = []
  let isFinished = false
  let finishReason: string | undefined
  let error: ObservedStream['error']
  let arrivedMs = 0
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') isFinished = true
      const part = parseEvent(data, readEvent)
      if (part.text !== '') pieces.push({ atMs: arrivedMs, text: part.text })
      if (part.finishReason !== undefined) [isFinished, finishReason] = [true, part.finishReason]
      error ??= part.error
    },
  })
  for (const { atMs, text } of received) {
    arrivedMs = atMs
    parser.feed(text)
  }
  return { pieces, isFinished, finishReason, error }
}

interface TextEvent {
  readonly text: string
  readonly finishReason?: string
  readonly error?: ObservedStream['error']
}

type ReadEvent = (event: EventData) => ObservedEvent

function parseEvent(data: string, readEvent: ReadEvent): TextEvent {
  let event: EventData
  try {
    event = (JSON.parse(data) ?? {}) as EventData
  } catch {
    return { text: '' }
  }
  const error = event['error'] as Readonly<Record<string, unknown>> | undefined
  if (error) {
    const status = [error['code'], error['status']].map(Number).find((each) => each >= 400 && each < 600)
    return { text: '', error: { status, message: String(error['message'] ?? '') } }
  }
  const { text, finishReason } = readEvent(event)
  return {
    text: typeof text === 'string' ? text : '',
    ...(typeof finishReason === 'string' && { finishReason }),
  }
}
