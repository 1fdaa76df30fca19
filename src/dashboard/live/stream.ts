// Follows the event stream of a namespace, and resumes it after a cut. It is read by fetch, since EventSource can't send
// headers.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { applyBatch, connection, hello, isLoaded, lanes, namespace, resetStore } from '../data/store.ts'
import type {
  Batch,
  ClockStatus,
  Entry,
  Hello,
  InvariantState,
  KeyUsage,
  ListedRule,
  Task,
} from '../data/types.ts'
import { headersOf, isTokenWanted, request, urlOf } from './api.ts'

/** After this time, a hidden page closes its connection: browsers open six per host, which other pages need too. */
const hiddenMs = 30_000
const maxRetryMs = 5_000
/** A stream sends the clock every 2 s. One without a message for this long is held up, such as by a buffering proxy. */
const silentMs = 8_000
/** How many times the page polls before it tries the stream again. */
const maxPolls = 240
const pollEveryMs = 500
const polledTasks = 2_000

let stop: AbortController | undefined
let lastId = ''

/** Follows the current namespace until the next call. */
export function follow(): void {
  lastId = ''
  resetStore()
  connection.value = 'connecting'
  connect()
}

/** Connects again immediately, such as with a token. */
export function connect(): void {
  stop?.abort()
  stop = new AbortController()
  void followUntil(stop.signal)
}

async function followUntil(signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      if (await readStream(signal, () => (failures = 0))) continue
      await pollMany(signal)
      failures = 0
    } catch {
      // The server has stopped, or the connection broke. Both show soon.
      if (signal.aborted || isTokenWanted.peek()) return
      if (isLoaded.peek()) connection.value = 'lost'
      await pause(Math.min(maxRetryMs, 250 * 2 ** failures), signal)
    }
  }
}

/** @returns false if the server has no stream, or if nothing arrives through it. */
async function readStream(signal: AbortSignal, onMessage: () => void): Promise<boolean> {
  const silence = new AbortController()
  const listen = (): ReturnType<typeof setTimeout> => setTimeout(() => silence.abort(), silentMs)
  let timer = listen()
  let isHeard = false
  try {
    const headers = { ...headersOf('text/event-stream'), ...(lastId && { 'last-event-id': lastId }) }
    const response = await fetch(urlOf('/events'), {
      signal: AbortSignal.any([signal, silence.signal]),
      headers,
    })
    if (response.status === 404) return false
    if (response.status === 401) isTokenWanted.value = true
    if (!response.ok || !response.body) throw new Error(`The server responded with ${response.status}.`)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const parser = createParser({ onEvent: takeMessage })
    for (;;) {
      const { value, done } = await reader.read()
      if (done) throw new Error('The stream has ended.')
      clearTimeout(timer)
      timer = listen()
      isHeard = true
      parser.feed(value)
      onMessage()
    }
  } catch (error) {
    if (silence.signal.aborted && !signal.aborted && !isHeard) return false
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function takeMessage({ id, event, data }: EventSourceMessage): void {
  const message = JSON.parse(data) as Batch & Hello
  if (event === 'hello') {
    // A snapshot follows. After a restart of the server, all earlier data is wrong.
    resetStore()
    hello.value = message
  } else if (event === 'batch' || event === 'ready') applyBatch(message)
  if (event !== 'hello') connection.value = 'live'
  if (event === 'ready' || event === 'resumed') isLoaded.value = true
  if (id !== undefined) lastId = id
}

/** Polls the same data twice a second if there is no stream, less often if the calls take long. */
async function pollMany(signal: AbortSignal): Promise<void> {
  resetStore()
  hello.value = null
  lastId = ''
  for (let count = 0, lastNumber = 0; count < maxPolls && !signal.aborted; count++) {
    const start = performance.now()
    const [clock, tasks, entries, rules, usage, { invariants }] = await Promise.all([
      request<ClockStatus>('GET', '/clock'),
      request<Task[]>('GET', `/tasks?last=${polledTasks}`),
      request<Entry[]>('GET', '/journal?last=500'),
      request<ListedRule[]>('GET', '/rules'),
      request<KeyUsage[]>('GET', '/usage'),
      request<{ invariants: InvariantState[] }>('GET', '/verdict'),
    ])
    if (signal.aborted) return
    const number = entries.at(-1)?.number ?? 0
    // After a restart or a reset, all earlier data is wrong.
    if (number < lastNumber) resetStore()
    lastNumber = number
    const ids = new Set(tasks.map(({ id }) => id))
    const gone =
      tasks.length < polledTasks ? lanes.flatMap(({ id, task }) => (task && !ids.has(id) ? [id] : [])) : []
    applyBatch({ clock, tasks, entries, gone, rules, usage, verdict: invariants })
    isLoaded.value = true
    connection.value = 'polling'
    await pause(Math.max(pollEveryMs, 4 * (performance.now() - start)), signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

let hiddenTimer: ReturnType<typeof setTimeout> | undefined
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiddenTimer)
  if (document.hidden) hiddenTimer = setTimeout(() => stop?.abort(), hiddenMs)
  else if (stop?.signal.aborted) connect()
})

/** Follows another namespace, and writes it into the URL of the page. */
export function chooseNamespace(name: string): void {
  namespace.value = name
  history.replaceState(null, '', `?namespace=${encodeURIComponent(name)}`)
  follow()
}
