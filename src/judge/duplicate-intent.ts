import type { JournalEntry } from '../gateway/journal.ts'
import { isDelivered } from './answers.ts'
import { Memory } from './memory.ts'

interface Want {
  underWay: number
  answers: number
  isTwice: boolean
}

/**
 * Which things a client wants more than once: it asked for them twice at a time, or went on to ask after it had a good
 * answer. Two requests for such a thing need not be the same one asked again.
 */
export class DuplicateIntent {
  readonly #wants = new Memory<Want>()

  admitted({ method, identity }: JournalEntry): void {
    if (method !== 'POST') return
    const want = this.#wants.get(identity) ?? { underWay: 0, answers: 0, isTwice: false }
    this.#wants.set(identity, want)
    want.underWay++
    if (want.underWay > 1 || want.answers > 0) want.isTwice = true
  }

  settled(entry: JournalEntry): void {
    const want = this.#wants.get(entry.identity)
    if (!want || entry.method !== 'POST') return
    want.underWay--
    if (entry.status >= 200 && entry.status < 300 && isDelivered(entry)) want.answers++
  }

  areTwice({ method, identity }: Pick<JournalEntry, 'method' | 'identity'>): boolean {
    return method === 'POST' && this.#wants.get(identity)?.isTwice === true
  }
}
