import { controlPrefix } from '../../control/route.ts'
import type { NamespaceSummary } from '../../control/control.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { defaultPort } from '../../server/limits.ts'
import {
  type Command,
  exitCodes,
  type Flags,
  readText,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import { openLog } from './log.ts'
import { readEvents } from './read-events.ts'
import { WatchedLog } from './watched-log.ts'

/** `greenroom watch`: the log of a server that runs elsewhere. */
export const watch: Command = {
  argumentHelp: `URL of the server  [default: http://127.0.0.1:${defaultPort}]`,
  options: {
    namespace: { type: 'string', describe: 'Namespace to watch  [default: default]' },
    token: { type: 'string', describe: 'Control token of the server; also GREENROOM_CONTROL_TOKEN' },
    log: { choices: ['pretty', 'json'], default: 'pretty', describe: 'For people, or as JSON lines' },
    verbose: { type: 'boolean', describe: 'Whether the log has ids and timings of each request' },
  },
  epilogue: [
    'Prints the latest requests, then each request when its response has ended, as greenroom serve does. Runs until Ctrl-C, and connects again if the server is gone for a while.',
    `Exit codes: ${exitCodes.usage} no greenroom server responds there, or it has no such namespace.`,
  ],
  run: async ({ flags, args }, terminal) => {
    const source = readSource(flags, args, terminal)
    await checkNamespace(source)
    const { log: format, verbose = false } = flags as { log: 'pretty' | 'json'; verbose?: boolean }
    const log = await openLog(format, terminal)
    const end = new AbortController()
    void terminal.interrupted.then(() => end.abort())
    try {
      await follow(source, new WatchedLog(log, source, verbose), end.signal)
    } finally {
      await log.end()
    }
    return exitCodes.ok
  },
}

/** A namespace of a server. */
export interface WatchSource {
  readonly url: string
  readonly namespace: string
  readonly token: string | undefined
}

function readSource(flags: Flags, [named]: readonly string[], { environment }: Terminal): WatchSource {
  const url = (named ?? `http://127.0.0.1:${defaultPort}`).replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is not a URL. Write one such as http://127.0.0.1:${defaultPort}.`)
  }
  return {
    url,
    namespace: readText(flags, 'namespace') ?? 'default',
    token: readText(flags, 'token') ?? environment['GREENROOM_CONTROL_TOKEN'],
  }
}

/** @throws {UsageError} if no greenroom server responds, if it refuses, or if the namespace is unknown. */
async function checkNamespace(source: WatchSource): Promise<void> {
  const { url, namespace } = source
  const response = await ask(source, '/namespaces').catch((error: unknown) => {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `Failed to reach ${url}: no server responds. Start greenroom serve, or pass the URL of a running one.`,
    )
  })
  const found = (await response.json().catch(() => undefined)) as NamespaceSummary[] | undefined
  if (!Array.isArray(found)) throw notGreenroom(url)
  const names = found.map(({ name }) => name)
  if (names.includes(namespace)) return
  throw new UsageError(
    `${url} has no namespace "${namespace}".${didYouMean(namespace, names)} It has ${names.slice(0, 20).join(', ')}.`,
  )
}

/**
 * Calls the control API.
 * @throws {UsageError} if the server refuses the call, or is none of greenroom; {TypeError} if it can't be reached.
 */
async function ask({ url, token }: WatchSource, path: string, more: RequestInit = {}): Promise<Response> {
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

function notGreenroom(url: string): UsageError {
  return new UsageError(
    `Failed to watch ${url}: it is not a greenroom server, or one that is too old for greenroom watch. Check the URL.`,
  )
}

const minRetryMs = 250
const maxRetryMs = 5_000
/** The server sends something every two seconds. After this time the connection is taken to be dead. */
const maxSilenceMs = 10_000

/** Reads the event stream until the signal, and continues where it left off when a connection is lost. */
async function follow(source: WatchSource, watched: WatchedLog, signal: AbortSignal): Promise<void> {
  let retryMs = minRetryMs
  while (!signal.aborted) {
    try {
      const query = `/events?namespace=${encodeURIComponent(source.namespace)}`
      const silence = new AbortController()
      const headers = watched.lastId === '' ? {} : { 'last-event-id': watched.lastId }
      const response = await ask(source, query, {
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
