import type { Chunk, ConnectionBreak } from '../engine/reply.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { JournalEntry, Outcome, ExchangeOutcome } from '../gateway/journal.ts'

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
  settlement(outcome: Outcome, broken?: ConnectionBreak): Omit<ExchangeOutcome, 'outcome' | 'bytes'> {
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
