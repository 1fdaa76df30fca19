import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import { nextTurn } from '../engine/clock/timers/steps.ts'
import type { Journal, JournalEntry } from '../gateway/journal.ts'
import type { Simulator } from '../simulator/simulator.ts'

/** In how many turns of the event loop a client that is at work sends a request, or sleeps again. */
const maxTurns = 10
const minTurns = 2
/** In how many turns of the event loop in a row all responses are delayed until the client is at rest. */
const minDelayedTurns = 3

type Namespace = ReturnType<Simulator['namespaces']['get']>

/** A call of a test, such as `gateway.idle()`, whose promise has not been settled. */
interface Wait {
  readonly call: string
  /** Whether a correct test may leave it: `idle` never resolves while a rule delays a response forever. */
  readonly mayHang: boolean
}

/** The calls of a test for whose end it has to wait. */
export class Waits {
  readonly #pending = new Set<Wait>()
  #isOver = false
  #forgotten: Wait | undefined

  /** Follows a call to its end. Returns its promise. */
  follow<T>(call: string, promise: Promise<T>, { mayHang = false } = {}): Promise<T> {
    const wait = { call, mayHang }
    if (this.#isOver) this.#forgotten ??= wait
    this.#pending.add(wait)
    const settle = (): void => {
      this.#pending.delete(wait)
      if (this.#isOver) this.#forgotten ??= wait
    }
    promise.then(settle, settle)
    return promise
  }

  get hasPending(): boolean {
    return this.#pending.size > 0
  }

  /** Notes that the test has ended. */
  end(): void {
    this.#isOver = true
  }

  /** A call for which the test did not wait, as far as that is known some turns after its end. */
  get forgotten(): string | undefined {
    return (this.#forgotten ?? [...this.#pending].find(({ mayHang }) => !mayHang))?.call
  }
}

/**
 * Finds the work of a client that continues after the end of its test, because an `await` is missing. A wait alone is no work: it may be a
 * deadline that lost a race, or a response that a rule delays.
 * @param waits the calls for which the test has to wait.
 * @returns a sentence without its beginning, `the test "…" ended`; undefined if there is no such work.
 */
export async function findUnfinishedWork(
  { journal, clock }: Pick<Namespace, 'journal' | 'clock'>,
  waits: Waits,
): Promise<string | undefined> {
  waits.end()
  const first = journal.nextNumber
  const isAsleep = (): boolean => clock.mode === 'auto' && clock.auto.sleepers > 0
  for (let turn = 0; turn < maxTurns; turn++) {
    await nextTurn()
    if (waits.hasPending) continue
    if (journal.nextNumber > first || (turn >= minTurns && !isAsleep() && !findEntry(journal, first))) break
  }
  const { forgotten } = waits
  if (forgotten !== undefined) {
    return `before ${forgotten} had resolved: write await before it, and before each call of a function that calls it.`
  }
  const entry = findEntry(journal, first)
  if (!entry && !isAsleep()) return undefined
  return `while the client was at work (${entry ? describe(entry, first) : 'it sleeps on gateway.clock'}): is an await missing?`
}

function describe({ number, method, path }: JournalEntry, first: number): string {
  return `#${number} ${method} ${path}, ${number >= first ? 'sent after its end' : 'without a response'}`
}

function findEntry(journal: Journal, first: number): JournalEntry | undefined {
  return journal.entries().find((entry) => isAtWork(entry, first))
}

/** Whether a request came after the end, or has no response although nothing delays it. */
function isAtWork({ number, role, outcome, status, fault, delayMs }: JournalEntry, first: number): boolean {
  if (role === 'report') return false
  // The elements of a page load videos and images by themselves.
  if (role === 'download' && 'document' in globalThis) return false
  return number >= first || (outcome === 'open' && status === 0 && fault === null && delayMs === 0)
}

/** Resolves when the client of a namespace is idle: see `gateway.idle`. */
export async function untilIdle(
  simulator: Pick<EmbeddedSimulator, 'idle'>,
  { clock, journal }: Pick<Namespace, 'clock' | 'journal'>,
): Promise<void> {
  const hasOnlyDelayed = (): boolean => {
    const open = journal.entries({ outcome: 'open' }).length
    return open > 0 && open === clock.delayedResponses
  }
  let isOver = false
  const over = simulator.idle().then(() => (isOver = true))
  // Only the test moves such a clock: for it, a response that waits for time will never come.
  if (clock.mode === 'host' || clock.mode === 'manual') {
    for (let turn = 0; turn < minDelayedTurns && !isOver; turn = hasOnlyDelayed() ? turn + 1 : 0)
      await nextTurn()
    return
  }
  await over
  while (clock.isMoving) await simulator.idle()
}
