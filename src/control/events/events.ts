import * as z from 'zod/mini'
import { may, named } from '../../scenario/schema/fields.ts'
import { integer } from '../../apis/define/operation-schema.ts'
import { clockSchema } from '../clock-routes.ts'
import { invariantSchema, type ControlDeps } from '../deps.ts'
import { entrySchema } from '../journal.ts'
import { listedRuleSchema } from '../rules.ts'
import { taskSchema, usageSchema } from '../tasks.ts'
import { defaultBatchMs, EventFeed, type StreamSources } from './event-feed.ts'
import { EventStream, routesFor, type ControlRoute } from '../route.ts'
import type { StreamMessage } from './stream-events.ts'

/** How long a disconnected reader may take to come back, in milliseconds of the host. */
const defaultLingerMs = 30_000

/** The streams of namespaces. */
export class EventControl {
  readonly #sources: StreamSources
  readonly #deps: ControlDeps
  readonly #feeds = new Map<string, EventFeed>()
  /** How long messages are stored after the last reader has left. */
  lingerMs = defaultLingerMs
  /** How often changes are sent, in milliseconds of the host. */
  batchMs = defaultBatchMs

  constructor(sources: StreamSources, deps: ControlDeps) {
    this.#sources = sources
    this.#deps = deps
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
    // Refuses now, with a status, if there are too many namespaces.
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
    const feed = new EventFeed(namespace, this.#sources, this.#deps, {
      lingerMs: this.lingerMs,
      batchMs: this.batchMs,
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

export const eventSchema = named(
  'StreamData',
  z.looseObject({
    tasks: may(z.union([z.array(taskSchema), integer]), 'In `hello`, how many follow.'),
    entries: may(z.union([z.array(entrySchema), integer]), 'In `hello`, how many follow.'),
    gone: z.optional(z.array(z.string())),
    rules: z.optional(z.array(listedRuleSchema)),
    usage: z.optional(z.array(usageSchema)),
    verdict: z.optional(z.array(invariantSchema)),
    clock: z.optional(clockSchema),
  }),
  'The data of a message of the event stream: `hello`, `batch`, `ready` or `resumed`.',
)

export const eventRoutes: readonly ControlRoute<EventControl>[] = [
  routesFor<EventControl>()(
    'GET /events',
    'what happens, as it happens: a stream of server-sent events, which Last-Event-ID continues',
    () => ({ answer: { events: eventSchema } }),
    (events, { namespace, header }) => events.stream(namespace, header('last-event-id')),
    { waits: true },
  ),
]
