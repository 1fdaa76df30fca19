import { createParser } from 'eventsource-parser'
import { Router } from '../../gateway/router.ts'
import { operations, shippedFlows, shippedOperations, type Operation } from '../../apis/index.ts'

/** One exchange with a real gateway. Times are in milliseconds since the recording began. */
export interface ObservedExchange {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
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

const routes = operations.map((operation) => {
  const { route, aliases = [] } = shippedOperations.find(operation)!
  const parts = route.split(' ')
  return { operation, methods: parts.slice(0, -1), path: parts.at(-1)!, aliases }
})
const router = new Router(routes)

/** The operation of an exchange, and the task that its path names; undefined for a path that greenroom doesn't know. */
export function findOperation({
  method,
  path,
}: ObservedExchange): { readonly operation: Operation; readonly task: string | undefined } | undefined {
  const found = router.find(method, path)
  if (!found) return undefined
  const { task } = shippedOperations.find(found.route.operation)!
  return {
    operation: found.route.operation,
    task: task === undefined ? undefined : found.params[String(task)],
  }
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

/** The task state in the response to a poll, by the names of its lifecycle. */
export interface ObservedState {
  readonly status: string
  /** In percent. */
  readonly progress: number | undefined
  readonly reason: string
}

/** Reads the state in a poll; undefined if there is none that greenroom knows. */
export function readState(operation: Operation, exchange: ObservedExchange): ObservedState | undefined {
  const flow = shippedFlows.find(({ operations: { poll } }) => poll === operation)
  const found = flow?.observe?.((bodyJson(exchange) ?? {}) as Record<string, unknown>)
  if (!found) return undefined
  const { status, progress, reason } = found
  const percent = Number.parseFloat(String(progress))
  return {
    status,
    progress: percent >= 0 && percent <= 100 ? percent : undefined,
    reason: typeof reason === 'string' ? reason : '',
  }
}

/** A streamed text, as it came. */
export interface ObservedStream {
  readonly pieces: readonly { readonly atMs: number; readonly text: string }[]
  /** Whether the stream announced its end. */
  readonly isFinished: boolean
  readonly finishReason: string | undefined
  readonly error: { readonly status: number | undefined; readonly message: string } | undefined
}

export function isStream({ headers }: ObservedExchange): boolean {
  return String(headers['content-type']).startsWith('text/event-stream')
}

/** Reads an event stream of any text API. An event belongs to the part of the response that completes it. */
export function readStream({ received }: ObservedExchange): ObservedStream {
  const pieces: { atMs: number; text: string }[] = []
  let isFinished = false
  let finishReason: string | undefined
  let error: ObservedStream['error']
  let arrivedMs = 0
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') isFinished = true
      const part = readEvent(data)
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

interface EventData {
  readonly type?: string
  readonly delta?: unknown
  readonly error?: { readonly message?: unknown; readonly code?: unknown; readonly status?: unknown }
  readonly choices?: readonly {
    readonly index?: number
    readonly delta?: { readonly content?: unknown }
    readonly finish_reason?: unknown
  }[]
  readonly candidates?: readonly {
    readonly index?: number
    readonly content?: { readonly parts?: readonly { readonly text?: unknown; readonly thought?: unknown }[] }
    readonly finishReason?: unknown
  }[]
}

function readEvent(data: string): TextEvent {
  let event: EventData
  try {
    event = (JSON.parse(data) ?? {}) as EventData
  } catch {
    return { text: '' }
  }
  const { type, delta, error, choices, candidates } = event
  if (error) {
    const status = [error.code, error.status].map(Number).find((each) => each >= 400 && each < 600)
    return { text: '', error: { status, message: String(error.message ?? '') } }
  }
  // Events of several answers alternate. Only the first answer is recorded.
  const choice = choices?.find(({ index = 0 }) => index === 0)
  const candidate = candidates?.find(({ index = 0 }) => index === 0)
  const texts = [
    choice?.delta?.content,
    ...(candidate?.content?.parts ?? []).map((part) => (part.thought === true ? '' : part.text)),
    type === 'response.output_text.delta' ? delta : '',
  ]
  const reason = choice?.finish_reason ?? candidate?.finishReason
  const isComplete = type === 'response.completed'
  return {
    text: texts.filter((each) => typeof each === 'string').join(''),
    ...(typeof reason === 'string' && { finishReason: reason }),
    ...(isComplete && { finishReason: 'stop' }),
  }
}
