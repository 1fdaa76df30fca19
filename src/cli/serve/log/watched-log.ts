import { BoundedMap } from '../../../engine/bounded-map.ts'
import type { InvariantState } from '../../../control/deps.ts'
import type { StreamBatch, StreamEvent } from '../../../control/events/stream-events.ts'
import { warnOfViolations } from './log-simulator.ts'
import type { RequestLog } from './log.ts'
import type { LoggedEntry } from './request-line.ts'

/** How many of the requests before the first connection are logged. */
const firstEntries = 10
/** How many logged requests are remembered, to log none twice after a snapshot: more than a journal has by default. */
const maxRemembered = 20_000

/** Logs what the event stream of a server says. */
export class WatchedLog {
  readonly #log: RequestLog
  readonly #source: { readonly url: string; readonly namespace: string }
  readonly #verbose: boolean
  readonly #warnOnce: (reports: readonly InvariantState[], namespace: string) => boolean
  readonly #logged = new BoundedMap<true>(maxRemembered)
  #isFirst = true
  #snapshot: LoggedEntry[] | undefined
  #verdict: readonly InvariantState[] = []
  #state: 'new' | 'connected' | 'lost' = 'new'
  /** The id of the last message, to continue after it. */
  lastId = ''

  constructor(
    log: RequestLog,
    source: { readonly url: string; readonly namespace: string },
    verbose: boolean,
  ) {
    this.#log = log
    this.#source = source
    this.#verbose = verbose
    this.#warnOnce = warnOfViolations(log, source.url)
  }

  connected(): void {
    const { url, namespace } = this.#source
    if (this.#state === 'new')
      this.#log.note(`Watching namespace ${namespace} of ${url}. Press Ctrl-C to stop.`)
    if (this.#state === 'lost') this.#log.note(`Connected to ${url} again.`)
    this.#state = 'connected'
  }

  disconnected(): void {
    if (this.#state === 'connected')
      this.#log.warn(`Lost the connection to ${this.#source.url}. Trying again.`)
    this.#state = 'lost'
  }

  add(message: StreamEvent): void {
    if ('id' in message && message.id !== undefined) this.lastId = message.id
    if (message.event === 'resumed') return
    if (message.event === 'hello') {
      this.#snapshot = []
      return
    }
    if (message.event === 'ready') this.#logSnapshot()
    const data: StreamBatch = message.data
    const { entries = [], verdict = this.#verdict } = data
    const ended = entries.filter(({ outcome }) => outcome !== 'open')
    if (this.#snapshot) this.#snapshot.push(...ended)
    else for (const entry of ended) this.#logEntry(entry)
    this.#verdict = verdict
    if (!this.#snapshot) this.#warnOnce(verdict, this.#source.namespace)
  }

  /** Logs what is new in a snapshot; of the first, the end. */
  #logSnapshot(): void {
    const snapshot = this.#snapshot ?? []
    this.#snapshot = undefined
    const skipped = this.#isFirst ? snapshot.slice(0, -firstEntries) : []
    this.#isFirst = false
    for (const entry of skipped) this.#logged.set(keyOf(entry), true)
    for (const entry of snapshot.slice(skipped.length)) this.#logEntry(entry)
  }

  #logEntry(entry: LoggedEntry): void {
    const key = keyOf(entry)
    if (this.#logged.get(key)) return
    this.#logged.set(key, true)
    this.#log.request(entry, this.#verbose ? {} : undefined)
  }
}

/** A restarted server may number, and even name, its requests as before. */
function keyOf({ number, wallAt }: LoggedEntry): string {
  return `${number} ${wallAt}`
}
