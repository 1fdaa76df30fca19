import type { ClockStatus } from '../engine/clock/clock-settings.ts'
import type { KeyUsage } from '../gateway/accounts/account.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import type { ListedRule } from '../scenario/rules/rule.ts'
import type { Control } from './control.ts'
import type { ControlDeps, InvariantState } from './deps.ts'
import { EventFeed } from './event-feed.ts'
import type { StreamMessage } from './event-reader.ts'
import { EventStream, type ControlRoute } from './route.ts'
import type { TaskSummary } from './tasks.ts'

/**
 * Changes of a namespace. Each task and entry is in it once, as it is by now.
 *
 * @example
 * const batches: StreamBatch[] = []
 * for await (const { event, data } of sim.events()) {
 *   if (event === 'batch') batches.push(data)
 *   if (event === 'ready') break
 * }
 */
export interface StreamBatch {
  /** What was forgotten before the rest of the batch happened. */
  readonly cleared?: 'tasks' | 'journal'
  /** Tasks that are new or were changed from outside. Their timelines say when they change by themselves. */
  readonly tasks?: readonly TaskSummary[]
  /** The ids of tasks that were removed. */
  readonly gone?: readonly string[]
  /** Exchanges that began or ended. */
  readonly entries?: readonly Omit<JournalEntry, 'reasons'>[]
  readonly rules?: readonly ListedRule[]
  readonly usage?: readonly KeyUsage[]
  readonly verdict?: readonly InvariantState[]
  readonly clock?: ClockStatus
}

/**
 * What a stream begins with.
 *
 * @example
 * for await (const { event, data } of sim.events()) {
 *   const hello: StreamHello | undefined = event === 'hello' ? data : undefined
 *   hello // → { protocol: 1, namespace: 'default', seed: '1', tasks: 0, … }
 *   break
 * }
 */
export interface StreamHello {
  /** The version of this format. It grows with breaking changes. */
  readonly protocol: 1
  /** The first part of the ids of this stream. Another one means another process, or a stream that began again. */
  readonly epoch: string
  readonly namespace: string
  /** The version of greenroom. */
  readonly version: string
  readonly seed: string
  /** How many tasks and exchanges follow. */
  readonly tasks: number
  readonly entries: number
  /** How many older tasks there are, which don't follow. */
  readonly olderTasks: number
}

/**
 * A message of the stream: `hello`, batches with everything there is, `ready`; from then on batches of what changes. A
 * reader that comes back with the id of its last message gets `resumed` and what it has missed. After a reset or a restored
 * snapshot everything begins again with `hello`.
 *
 * @example
 * const events: StreamEvent[] = []
 * for await (const each of sim.events()) {
 *   events.push(each)
 *   if (each.event === 'ready') break
 * }
 * events.map(({ event }) => event) // → ['hello', 'ready']
 */
export type StreamEvent =
  | { readonly event: 'hello'; readonly data: StreamHello }
  | { readonly event: 'batch'; readonly id?: string; readonly data: StreamBatch }
  | {
      readonly event: 'ready'
      readonly id: string
      readonly data: Required<Pick<StreamBatch, 'clock' | 'rules' | 'usage' | 'verdict'>>
    }
  | { readonly event: 'resumed'; readonly data: { readonly missed: number } }

/** How long a reader that lost its connection has to come back, in milliseconds of the host. */
const defaultLingerMs = 30_000

/** The streams of namespaces. */
export class EventControl {
  readonly #control: Control
  readonly #deps: ControlDeps
  readonly #feeds = new Map<string, EventFeed>()
  /** How long what was missed is remembered after the last reader has left. */
  lingerMs = defaultLingerMs

  constructor(control: Control, deps: ControlDeps) {
    this.#control = control
    this.#deps = deps
  }

  /** How many namespaces are being read, or were until a moment ago. */
  get feedCount(): number {
    return this.#feeds.size
  }

  /**
   * What happens in a namespace, from now on or from where a reader left off.
   * @param from `lastEventId` is the id of the last message that the reader has; `signal` ends it.
   * @throws {Error} when too much is left unread.
   */
  async *read(
    namespace: string,
    { lastEventId = '', signal }: { lastEventId?: string; signal?: AbortSignal } = {},
    onCutOff?: () => void,
  ): AsyncGenerator<StreamMessage, void> {
    // Brings it into being, as any other look at its clock does.
    this.#deps.clockOf(namespace)
    const reader = this.#feedOf(namespace).read(lastEventId)
    const close = (): void => reader.close()
    if (signal?.aborted) close()
    signal?.addEventListener('abort', close, { once: true })
    reader.cutOff.addEventListener('abort', () => onCutOff?.(), { once: true })
    try {
      for (let message = await reader.next(); message; message = await reader.next()) yield message
    } finally {
      signal?.removeEventListener('abort', close)
      close()
    }
  }

  /** The stream as the text of `text/event-stream`. */
  stream(namespace: string, lastEventId: string): EventStream {
    // Refused now, with a status, if there are too many namespaces.
    this.#deps.clockOf(namespace)
    const cutOff = new AbortController()
    const { read } = this
    return new EventStream(cutOff.signal, (signal) =>
      formatStream(read.call(this, namespace, { lastEventId, signal }, () => cutOff.abort())),
    )
  }

  /** Ends all streams. */
  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
  }

  #feedOf(namespace: string): EventFeed {
    const known = this.#feeds.get(namespace)
    if (known) return known
    const feed = new EventFeed(namespace, this.#control, this.#deps, {
      lingerMs: this.lingerMs,
      onUnused: () => void this.#feeds.delete(namespace),
    })
    this.#feeds.set(namespace, feed)
    return feed
  }
}

async function* formatStream(messages: AsyncIterable<StreamMessage>): AsyncGenerator<string> {
  for await (const { event, id, json } of messages)
    yield `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`
}

export const eventRoutes: readonly ControlRoute<EventControl>[] = [
  {
    methods: ['GET'],
    path: '/events',
    does: 'what happens, as it happens: a stream of server-sent events, which Last-Event-ID continues',
    call: (events, { namespace, header }) => events.stream(namespace, header('last-event-id')),
  },
]
