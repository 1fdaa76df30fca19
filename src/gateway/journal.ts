import { fitsGlob } from '../engine/glob.ts'
import type { Timing } from '../engine/clock/clock-settings.ts'
import type { RuleReason } from '../scenario/rules/rule.ts'
import type { Transport } from './incoming.ts'

/**
 * How an exchange ended: the answer was handed over whole, the client left before that, or its bytes could not be made
 * or were broken off on purpose. `open` while the answer is under way.
 *
 * @example
 * const wanted: Outcome = 'aborted'
 * await client.submitVideo('a red kite')
 * sim.journal({ outcome: wanted }) // → []
 */
export type Outcome = 'open' | 'completed' | 'aborted' | 'failed'

/**
 * One request with what became of it.
 *
 * @example
 * await client.submitVideo('a red kite')
 * const [entry]: JournalEntry[] = sim.journal()
 * entry // → { number: 1, operation: 'video.submit', status: 200, outcome: 'completed', … }
 */
export interface JournalEntry {
  /** The place of the exchange in its namespace's order, from 1. */
  readonly number: number
  /** Virtual time of admission, in milliseconds since 1970. */
  readonly at: number
  /** Wall time of admission: the one field that differs from run to run. */
  readonly wallAt: number
  /** How the request came in. */
  readonly door: Transport
  /** Such as `video.poll`; null where no route answers it. */
  readonly operation: string | null
  readonly method: string
  /** Without the query; its first 300 characters. */
  readonly path: string
  readonly namespace: string
  /** Enough of the key to tell it from others, never all of it. */
  readonly key: string
  /** A hash of the whole key, keyed by the seed: two requests carry the same key if these are equal. Empty without a key. */
  readonly keyHash: string
  /** As the answer's header carries it. */
  readonly requestId: string
  /** The id of the task that the request made or is about. */
  task: string | null
  /** Of the answer. */
  status: number
  /** Which rules fired. */
  rules: readonly string[]
  /** How long rules made the answer wait, on the clock. */
  delayMs: number
  /** The state that a poll was shown. */
  shown: string | null
  /** The requested model; null where the request names none. */
  readonly model: string | null
  /** The beginning of the prompt. */
  readonly prompt: string | null
  /** How the exchange ended; `open` while its answer is under way. */
  outcome: Outcome
  /** Bytes of body handed over. */
  bytes: number
  /** What the request asks for, as a hash: the same is asked again under the same. */
  readonly identity: string
  /** Whether it came with a key that opens. */
  authorized: boolean
  /** The task that the request names in its body: a parent, or one whose dialog is answered. */
  parent: string | null
  /** Whether the task had ended when it was looked at. */
  final: boolean
  /** How long the client was asked to wait before it comes again. */
  retryAfterMs: number | null
  /** Whether time was moved on the assumption that the client had waited. */
  assumed: boolean
  /** By which clock the waits of clients show at its admission. */
  readonly timing: Timing
  /** How the answer was broken, and whether the door could do so only nearly. */
  fault: string | null
  approximated: boolean
  /**
   * What went out of the bytes that the client asked for, of a range its part: null before it is known, and where no
   * such bytes were due, as for HEAD, 304, 416, and where they could not be made.
   */
  content: 'complete' | 'partial' | 'altered' | null
  /** Of a stream: chunks that were handed over, and how it ended. */
  stream: { chunks: number; ended: 'finished' | 'error' | 'cut' | 'aborted' } | null
  /** When the first byte of the body was handed over, and when the door was done, on the clock. */
  firstByteAt: number | null
  settledAt: number | null
  /** The number of the next exchange to be admitted when it was settled. Like `number`, it depends on the order. */
  settledBefore: number | null
  /** Why each rule fired or didn't. */
  reasons: () => readonly RuleReason[]
}

/** What a client sent. The journal itself does not keep it, since bodies can be large. */
export interface SentRequest {
  /** The parsed body, empty without one; undefined for a body that could not be read. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** One header, in lower case; empty if it is missing. */
  readonly header: (name: string) => string
  readonly query: string
}

type Listener = (entry: JournalEntry, what: 'admitted' | 'settled', sent?: () => SentRequest) => void

/** What a door says of how it fared. */
export interface ExchangeOutcome {
  readonly outcome: Outcome
  readonly bytes: number
  /** What was answered in the end, where the bytes decide it: 206, 304, 416, or that they could not be made. */
  readonly status?: number
  readonly approximated?: boolean
  readonly content?: JournalEntry['content']
  readonly stream?: JournalEntry['stream']
  readonly firstByteAt?: number
}

/**
 * Writes into an entry how its door fared. What a door doesn't say is as with most answers, which go out whole in
 * their turn.
 */
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
 * Which entries are wanted.
 *
 * @example
 * const task = await client.submitVideo('a red kite')
 * await client.pollVideo(task)
 * const filter: JournalFilter = { task, operation: 'video.poll', last: 1 }
 * sim.journal(filter) // → [{ shown: 'IN_PROGRESS', … }]
 */
export interface JournalFilter {
  /** Such as `video.poll`, or several by `*`: `video.*`. */
  operation?: string
  /** The id of a task. */
  task?: string
  /** The status of the answer. */
  status?: number
  /** How it ended: an {@link Outcome}. */
  outcome?: string
  /** Only the latest so many. */
  last?: number
}

/** The exchanges of one namespace, the latest of them: a ring that forgets the oldest. */
export class Journal {
  readonly #most: number
  readonly #listeners = new Set<Listener>()
  #ring: JournalEntry[] = []
  /** Where the oldest entry stands, once the ring is full. */
  #oldest = 0
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The number the next entry must carry. */
  get nextNumber(): number {
    return this.#count + 1
  }

  /** Hears of every entry when it is admitted, and again when its door has settled it. Returns what ends it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Tells listeners that an entry's door is done with it. */
  settled(entry: JournalEntry): void {
    entry.settledBefore = this.nextNumber
    for (const listener of this.#listeners) listener(entry, 'settled')
  }

  /** @param sent returns what the client sent; only for the time of the call. */
  append(entry: JournalEntry, sent?: () => SentRequest): void {
    for (const listener of this.#listeners) listener(entry, 'admitted', sent)
    this.#count++
    if (this.#ring.length < this.#most) {
      this.#ring.push(entry)
      return
    }
    this.#ring[this.#oldest] = entry
    this.#oldest = (this.#oldest + 1) % this.#most
  }

  /** The entries that are still known, oldest first. */
  entries(filter: JournalFilter = {}): JournalEntry[] {
    const { operation } = filter
    const inOrder = [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)]
    const wanted = inOrder.filter(
      (entry) =>
        (operation === undefined || fitsGlob(operation, entry.operation ?? '')) &&
        (filter.task === undefined || entry.task === filter.task) &&
        (filter.status === undefined || entry.status === filter.status) &&
        (filter.outcome === undefined || entry.outcome === filter.outcome),
    )
    return filter.last === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - filter.last))
  }

  /** Forgets the entries; numbers go on. */
  clear(): void {
    this.#ring = []
    this.#oldest = 0
  }
}
