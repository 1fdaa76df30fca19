import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { fitsGlob } from '../engine/glob.ts'
import type { Role } from '../engine/operations/facts.ts'
import type { Timing } from '../engine/clock/clock-settings.ts'
import { truncate } from '../engine/wording.ts'
import { noteIdleTime } from './idle-times.ts'
import type { RuleReason } from '../scenario/rules/rule.ts'
import type { Transport } from './request.ts'

/**
 * How an exchange ended. `completed`: the response was sent, a stream up to its final event. `aborted`: the client left
 * before that. `failed`: the bytes could not be rendered, or a fault cut them off. `open`: the response is in progress.
 *
 * @example
 * const wanted: Outcome = 'aborted'
 * await client.submitVideo('a red kite')
 * sim.journal({ outcome: wanted }) // → []
 */
export type Outcome = 'open' | 'completed' | 'aborted' | 'failed'

/** What is known of an exchange when its turn begins. */
interface ExchangeStart {
  /** The number of the exchange in its namespace, from 1. */
  readonly number: number
  /** Virtual time of admission, in milliseconds since 1970. */
  readonly at: number
  /** The transport of the request. */
  readonly transport: Transport
  /** Such as `video.poll`; null if no operation serves the request. */
  readonly operation: string | null
  /** What the operation does, such as `poll`. */
  readonly role: Role | null
  /** The kind of tasks that the operation is about, such as `video`; null for texts and the like. */
  readonly kind: string | null
  readonly method: string
  /** The path without the query: its first 300 characters. */
  readonly path: string
  readonly namespace: string
  /** The key, masked. */
  readonly key: string
  /** A hash of the whole key, keyed by the seed. Equal hashes mean equal keys. Empty without a key. */
  readonly keyHash: string
  /** The request id, as in the response header. */
  readonly requestId: string
  /** The requested model; null if the request names none. */
  readonly model: string | null
  /** The beginning of the prompt. */
  readonly prompt: string | null
  /** A hash of what the request asks for: equal requests have equal identities. */
  readonly identity: string
  /** Whether the request had a valid key. */
  readonly authorized: boolean
  /** Whether the clock was advanced on the assumption that the client had waited. */
  assumed: boolean
  /** How far assumed poll steps had moved the clock in total, at the time of admission. */
  readonly assumedMs?: number | undefined
  /** Which clock measures the waits of clients, at the time of admission. */
  readonly timing: Timing
  /** The line of the program that sent the request, with its callers: `client.py:42 from client.py:57`. Present if its process takes part in the clock and says it. */
  readonly place?: string
}

/**
 * One request and its response.
 *
 * @example
 * await client.submitVideo('a red kite')
 * const [entry]: JournalEntry[] = sim.journal()
 * entry // → { number: 1, operation: 'video.submit', status: 200, outcome: 'completed', … }
 */
export interface JournalEntry extends ExchangeStart {
  /** Wall time of admission, which differs between runs. */
  readonly wallAt: number
  /** The id of the task that the request creates or names. */
  task: string | null
  /** The ids of the further tasks that a request names. Present if it names several. */
  others?: readonly string[]
  /** The status of the response. */
  status: number
  /** A hash of the idempotency key of a submission. Equal hashes mean equal keys. Present if it has one. */
  idempotencyKey?: string
  /** The ids of the rules that fired. */
  rules: readonly string[]
  /** How long rules delayed the response, on the clock. */
  delayMs: number
  /** What the request costs, in the gateway's units: 500,000 are one dollar. A task that fails gives it back. */
  quota: number
  /** Present if the request declares tools that the text may call. */
  canCallTools?: true
  /** The tools that a text calls, if it calls any. */
  toolCalls?: readonly string[]
  /** Present if a poll or a result sends the file of its task. */
  sendsFile?: true
  /** Present if a response about a failed task does not contain the reason of the failure. */
  hidesReason?: true
  /** What a response says of its task: its end, another state, or no state. Present if a rule or a fault changed the response. */
  bodyReports?: 'end' | 'state' | 'nothing'
  /** The status that a refusal stands for. Present if its API sends it with another one, such as 200. */
  refusalStatus?: number
  /** The task state in the response to a poll, or at the deletion of the task. */
  reportedStatus: string | null
  /** Why the gateway refused the request, and the response's `X-Greenroom-Hint`; null without either. */
  hint: string | null
  /** The message of an internal error that caused the response. It fails every verdict. */
  internalError?: string
  /** How the exchange ended; `open` while its response is in progress. */
  outcome: Outcome
  /** Bytes of body sent. */
  bytes: number
  /** The task that the request names in its body: a parent, or one whose dialog it answers. */
  parent: string | null
  /** Whether the task had ended at the time of admission. */
  final: boolean
  /** The `Retry-After` of the response, in milliseconds. */
  retryAfterMs: number | null
  /** The fault that broke the response, and whether the transport could only approximate it. */
  fault: string | null
  approximated: boolean
  /**
   * How much of the requested bytes was sent. Null before that is known, and for responses without such bytes: HEAD, 304,
   * 416 and failed renders.
   */
  content: 'complete' | 'partial' | 'altered' | null
  /** For a stream: how many chunks were sent, and how it ended. After its final event, it counts as finished. */
  stream: { chunks: number; ended: 'finished' | 'error' | 'cut' | 'aborted' } | null
  /** The virtual times of the first byte of the body and of the end of the response. */
  firstByteAt: number | null
  settledAt: number | null
  /** The next exchange's number at the time when this one was settled. Like `number`, it depends on the order. */
  settledBefore: number | null
  /** Why each rule fired or didn't. */
  reasons: () => readonly RuleReason[]
}

const noReasons = (): [] => []

/** Creates the entry of an exchange before its request is decided. */
export function createEntry(start: ExchangeStart): JournalEntry {
  const entry = newEntry(start)
  // With any other timing, one clock alone tells how long a client has waited.
  if (start.timing === 'virtual' || start.timing === 'assumed') noteIdleTime(entry)
  return entry
}

function newEntry(start: ExchangeStart): JournalEntry {
  return {
    number: start.number,
    at: start.at,
    wallAt: hostTimers.now(),
    transport: start.transport,
    operation: start.operation,
    role: start.role,
    kind: start.kind,
    method: start.method,
    path: truncate(start.path, 300),
    namespace: start.namespace,
    key: start.key,
    keyHash: start.keyHash,
    requestId: start.requestId,
    task: null,
    status: 0,
    rules: [],
    delayMs: 0,
    quota: 0,
    reportedStatus: null,
    model: start.model === null ? null : truncate(start.model, 100),
    prompt: start.prompt === null ? null : truncate(start.prompt, 200),
    hint: null,
    outcome: 'open',
    bytes: 0,
    identity: start.identity,
    authorized: start.authorized,
    parent: null,
    final: false,
    retryAfterMs: null,
    assumed: start.assumed,
    assumedMs: start.assumedMs,
    timing: start.timing,
    ...(start.place !== undefined && { place: start.place }),
    fault: null,
    approximated: false,
    content: null,
    stream: null,
    firstByteAt: null,
    settledAt: null,
    settledBefore: null,
    reasons: noReasons,
  }
}

/** The request that a client sent. The journal doesn't retain it, since bodies can be large. */
export interface SentRequest {
  /** The parsed body: empty if there was none, undefined if it could not be read. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** Returns a header; empty if it is missing. The name is in lower case. */
  readonly header: (name: string) => string
  readonly query: string
}

type Listener = (entry: JournalEntry, what: 'admitted' | 'settled', sent?: () => SentRequest) => void

/** How a response ended, as its transport reports it. */
export interface ExchangeOutcome {
  readonly outcome: Outcome
  readonly bytes: number
  /** The status that was sent, if the bytes determine it: 206, 304, 416, or that of a failed render. */
  readonly status?: number
  readonly approximated?: boolean
  readonly content?: JournalEntry['content']
  readonly stream?: JournalEntry['stream']
  readonly firstByteAt?: number
}

/** Records in an entry how its response ended. By default, it was sent completely in its turn. */
export function noteSettlement(
  entry: JournalEntry,
  now: number,
  outcome: Outcome,
  bytes: number,
  more?: Omit<ExchangeOutcome, 'outcome' | 'bytes'>,
): void {
  entry.outcome = outcome
  entry.bytes = bytes
  entry.settledAt = now
  entry.content = outcome === 'completed' ? 'complete' : 'partial'
  if (bytes > 0) entry.firstByteAt = now
  if (more) Object.assign(entry, more)
}

/**
 * Selects entries.
 *
 * @example
 * const task = await client.submitVideo('a red kite')
 * await client.pollVideo(task)
 * const filter: JournalFilter = { task, operation: 'video.poll', last: 1 }
 * sim.journal(filter) // → [{ reportedStatus: 'IN_PROGRESS', … }]
 */
export interface JournalFilter {
  /** An operation such as `video.poll`, or several by a pattern: `video.*`. */
  operation?: string
  /** The id of a task. */
  task?: string
  /** The status of the response. */
  status?: number
  /** How it ended: an {@link Outcome}. */
  outcome?: string
  /** Only this many entries, the latest. */
  last?: number
}

/** The latest exchanges of one namespace: a ring buffer. */
export class Journal {
  readonly #maxEntries: number
  readonly #listeners = new Set<Listener>()
  readonly #clearListeners = new Set<() => void>()
  #ring: JournalEntry[] = []
  /** The index of the oldest entry, once the ring is full. */
  #oldest = 0
  #count = 0

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  /** The number of the next entry. */
  get nextNumber(): number {
    return this.#count + 1
  }

  /**
   * Calls the listener for every entry when it is admitted and when it is settled. Returns a function that unsubscribes it.
   */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Calls the listener when the entries are removed. Returns a function that unsubscribes it. */
  onClear(listener: () => void): () => void {
    this.#clearListeners.add(listener)
    return () => void this.#clearListeners.delete(listener)
  }

  /** Notifies listeners that an entry is settled. */
  settled(entry: JournalEntry): void {
    entry.settledBefore = this.nextNumber
    for (const listener of this.#listeners) listener(entry, 'settled')
  }

  /** @param sent returns the client's request; valid only during the call. */
  append(entry: JournalEntry, sent?: () => SentRequest): void {
    for (const listener of this.#listeners) listener(entry, 'admitted', sent)
    this.#count++
    if (this.#ring.length < this.#maxEntries) {
      this.#ring.push(entry)
      return
    }
    this.#ring[this.#oldest] = entry
    this.#oldest = (this.#oldest + 1) % this.#maxEntries
  }

  /** The entries still in the ring, oldest first. */
  entries(filter: JournalFilter = {}): JournalEntry[] {
    const { operation } = filter
    const inOrder = [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)]
    const selected = inOrder.filter(
      (entry) =>
        (operation === undefined || fitsGlob(operation, entry.operation ?? '')) &&
        (filter.task === undefined || entry.task === filter.task || entry.others?.includes(filter.task)) &&
        (filter.status === undefined || entry.status === filter.status) &&
        (filter.outcome === undefined || entry.outcome === filter.outcome),
    )
    return filter.last === undefined ? selected : selected.slice(Math.max(0, selected.length - filter.last))
  }

  /** Removes the entries; numbers continue. */
  clear(): void {
    this.#ring = []
    this.#oldest = 0
    for (const listener of this.#clearListeners) listener()
  }
}
