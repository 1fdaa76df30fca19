import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, named } from '../../scenario/schema/fields.ts'
import { integer } from '../../scenario/schema/json-values.ts'
import { clockSchema } from '../clock-routes.ts'
import { invariantSchema, type ControlCore } from '../core.ts'
import { clockOf } from '../../gateway/core.ts'
import { entrySchema } from '../entry-schema.ts'
import { listedRuleSchema } from '../rules.ts'
import { taskSchema, usageSchema } from '../tasks.ts'
import { defaultBatchMs, EventFeed, type StreamSources } from './event-feed.ts'
import { encodeStream, FairTurns } from './encode-stream.ts'
import { ControlError, EventStream, routesFor, type ControlRoute } from '../route.ts'
import type { StreamMessage } from './stream-events.ts'

/** How long a disconnected reader may take to come back, in milliseconds of the host. */
const defaultLingerMs = 30_000
/** How many readers the streams of all namespaces may have. */
export const maxReaders = 250

/** The streams of namespaces. */
export class EventControl {
  readonly #sources: StreamSources
  readonly #core: ControlCore
  readonly #feeds = new Map<string, EventFeed>()
  readonly #turns = new FairTurns()
  /** How long messages are stored after the last reader has left. */
  lingerMs = defaultLingerMs
  /** How often changes are sent, in milliseconds of the host. */
  batchMs = defaultBatchMs

  constructor(sources: StreamSources, core: ControlCore) {
    this.#sources = sources
    this.#core = core
  }

  /** How many namespaces are being read, or were read recently. */
  get feedCount(): number {
    return this.#feeds.size
  }

  /**
   * The events of a namespace, from now on or from where a reader left off.
   * @param from `lastEventId` is the id of the reader's last message; `signal` ends the stream.
   * @throws {Error} if too much is left unread.
   */
  async *read(
    namespace: string,
    { lastEventId = '', signal }: { lastEventId?: string; signal?: AbortSignal } = {},
    onCutOff?: () => void,
  ): AsyncGenerator<StreamMessage, void> {
    clockOf(this.#core, namespace)
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

  /**
   * The stream as the text of `text/event-stream`.
   * @throws {ControlError} 503 if there are too many readers.
   */
  stream(namespace: string, lastEventId: string): EventStream {
    const readerCount = [...this.#feeds.values()].reduce((sum, feed) => sum + feed.readerCount, 0)
    if (readerCount >= maxReaders)
      throw new ControlError(
        503,
        `${maxReaders} event streams are open, and more are refused. Close one first.`,
      )
    // Refuses now, with a status, if there are too many namespaces.
    clockOf(this.#core, namespace)
    const cutOff = new AbortController()
    const turns = this.#turns
    const { read } = this
    return new EventStream(cutOff.signal, (signal) =>
      encodeStream(
        read.call(this, namespace, { lastEventId, signal }, () => cutOff.abort()),
        turns,
      ),
    )
  }

  /** Ends all streams. */
  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
  }

  #feedOf(namespace: string): EventFeed {
    const known = this.#feeds.get(namespace)
    if (known) return known
    const feed = new EventFeed(namespace, this.#sources, this.#core, {
      lingerMs: this.lingerMs,
      batchMs: this.batchMs,
      onUnused: () => void this.#feeds.delete(namespace),
    })
    this.#feeds.set(namespace, feed)
    return feed
  }
}

const eventSchema = once(() =>
  named(
    'StreamData',
    z.looseObject({
      tasks: may(z.union([z.array(taskSchema()), integer]), 'In `hello`, how many follow.'),
      entries: may(z.union([z.array(entrySchema()), integer]), 'In `hello`, how many follow.'),
      gone: z.optional(z.array(z.string())),
      rules: z.optional(z.array(listedRuleSchema())),
      usage: z.optional(z.array(usageSchema())),
      verdict: z.optional(z.array(invariantSchema())),
      clock: z.optional(clockSchema()),
    }),
    'The data of a message of the event stream: `hello`, `batch`, `ready` or `resumed`.',
  ),
)

export const eventRoutes: readonly ControlRoute<EventControl>[] = [
  routesFor<EventControl>()(
    'GET /events',
    'what happens, as it happens: a stream of server-sent events, which Last-Event-ID continues',
    () => ({ answer: { events: eventSchema() } }),
    (events, { namespace, header }) => events.stream(namespace, header('last-event-id')),
    { waits: true },
  ),
]
