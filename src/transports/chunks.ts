import type { Clock } from '../engine/clock/clock.ts'
import type { JournalEntry, Outcome, ExchangeOutcome } from '../gateway/journal.ts'

/** What a door hands over at once. */
export interface Chunk {
  readonly data: string | Uint8Array
  /** How many chunks of a stream it ends; none where it is no stream. */
  readonly chunks?: number
  /** Whether the stream tells by it that it ends early. */
  readonly ended?: 'error' | 'cut'
  /** Whether the client is to get it by itself, whatever comes behind it. */
  readonly isAlone?: boolean
}

export type Portions = AsyncGenerator<Chunk, void>

/** The connection is to break off here, by its end or by a reset, or because nothing sensible comes. */
export class BrokenOff extends Error {
  override name = 'BrokenOff'
  readonly how: BrokenBody
  /** What a stream has come to by it. */
  readonly ended: 'error' | 'cut'

  constructor(how: BrokenBody, ended: 'error' | 'cut' = 'error') {
    super(`The answer breaks off here (${how}).`)
    this.how = how
    this.ended = ended
  }
}

/** How a body can break off in its middle. */
export type BrokenBody = 'close' | 'reset' | 'malformed-chunk'

const encoder = new TextEncoder()

/** Some text as the bytes it is sent as. */
export function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data
}

/** Keeps count of what is handed over, for the journal. */
export class Tally {
  readonly #clock: Clock
  readonly #isStream: boolean
  readonly #isAltered: boolean
  #bytes = 0
  #chunks = 0
  #firstByteAt: number | undefined
  #ended: 'error' | 'cut' | undefined

  constructor(clock: Clock, { isStream, isAltered }: { isStream: boolean; isAltered: boolean }) {
    this.#clock = clock
    this.#isStream = isStream
    this.#isAltered = isAltered
  }

  /** Bytes of body so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Notes what is handed over now. */
  note({ chunks = 0, ended }: Chunk, bytes: number): void {
    if (bytes > 0) this.#firstByteAt ??= this.#clock.now()
    this.#bytes += bytes
    this.#chunks += chunks
    this.#ended ??= ended
  }

  /** @param broken where the answer was broken off on purpose. */
  settlement(outcome: Outcome, broken?: BrokenOff): Omit<ExchangeOutcome, 'outcome' | 'bytes'> {
    const ended = outcome === 'aborted' ? 'aborted' : (this.#ended ?? broken?.ended ?? 'finished')
    const isWhole = outcome === 'completed' && ended === 'finished'
    const content: JournalEntry['content'] = !isWhole ? 'partial' : this.#isAltered ? 'altered' : 'complete'
    return {
      content,
      ...(this.#isStream ? { stream: { chunks: this.#chunks, ended } } : {}),
      ...(this.#firstByteAt === undefined ? {} : { firstByteAt: this.#firstByteAt }),
    }
  }
}
