import { controlPrefix } from '../../../control/route.ts'
import type { StreamEvent } from '../../../control/events/stream-events.ts'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import { UsageError } from '../../terminal/command.ts'
import type { WatchedLog } from './watched-log.ts'

/** A namespace of a server. */
export interface WatchSource {
  readonly url: string
  readonly namespace: string
  readonly token: string | undefined
}

/**
 * Calls the control API.
 * @throws {UsageError} if the server refuses the call, or is not greenroom; {TypeError} if it can't be reached.
 */
export async function callControl(
  { url, token }: WatchSource,
  path: string,
  more: RequestInit = {},
): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { ...authorization, ...more.headers }
  const response = await fetch(`${url}${controlPrefix}${path}`, { ...more, headers })
  if (response.ok) return response
  const body = (await response.json().catch(() => undefined)) as { error?: { message?: string } } | undefined
  const message = body?.error?.message
  if (message === undefined || response.status === 404) throw notGreenroom(url)
  const advice = response.status === 401 ? ' Pass it by --token, or set GREENROOM_CONTROL_TOKEN.' : ''
  throw new UsageError(`Failed to watch ${url}: ${message}${advice}`)
}

export function notGreenroom(url: string): UsageError {
  return new UsageError(
    `Failed to watch ${url}: it is not a greenroom server, or one that is too old for greenroom watch. Check the URL.`,
  )
}

const minRetryMs = 250
const maxRetryMs = 5_000
/** The server sends something every two seconds. After this time the connection is taken to be dead. */
const maxSilenceMs = 10_000

/** Reads the event stream until the signal, and continues where it left off when a connection is lost. */
export async function followEvents(
  source: WatchSource,
  watched: WatchedLog,
  signal: AbortSignal,
): Promise<void> {
  let retryMs = minRetryMs
  while (!signal.aborted) {
    try {
      const query = `/events?namespace=${encodeURIComponent(source.namespace)}`
      const silence = new AbortController()
      const headers = watched.lastId === '' ? {} : { 'last-event-id': watched.lastId }
      const response = await callControl(source, query, {
        headers,
        signal: AbortSignal.any([signal, silence.signal]),
      })
      watched.connected()
      retryMs = minRetryMs
      for await (const event of readEvents(response.body!, () => silence.abort(), maxSilenceMs))
        watched.add(event)
    } catch (error) {
      if (error instanceof UsageError) throw error
    }
    if (signal.aborted) return
    watched.disconnected()
    await waitFor(retryMs, signal)
    retryMs = Math.min(retryMs * 2, maxRetryMs)
  }
}

function waitFor(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = hostTimers.setTimeout(resolve, delayMs)
    const stop = (): void => {
      hostTimers.clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}

/**
 * Reads server-sent events of the control API.
 * @param onSilence called when nothing has come for a while.
 */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onSilence: () => void,
  maxSilenceMs: number,
): AsyncGenerator<StreamEvent> {
  let timer = hostTimers.setTimeout(onSilence, maxSilenceMs)
  let rest = ''
  const decoder = new TextDecoder()
  try {
    for await (const bytes of body) {
      hostTimers.clearTimeout(timer)
      timer = hostTimers.setTimeout(onSilence, maxSilenceMs)
      const messages = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = messages.pop()!
      for (const message of messages) yield parseMessage(message)
    }
  } finally {
    hostTimers.clearTimeout(timer)
  }
}

function parseMessage(message: string): StreamEvent {
  const fields = new Map(message.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const id = fields.get('id')
  return {
    event: fields.get('event'),
    ...(id !== undefined && { id }),
    data: JSON.parse(fields.get('data') ?? '{}') as object,
  } as StreamEvent
}
