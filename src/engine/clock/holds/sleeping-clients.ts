import type { Ledger, Reason, TakenHold } from './ledger.ts'

/** How long time waits for a woken client to return, in the host's milliseconds. */
const graceMs = 25

/** A client that is to act after it was woken, or after its deadline passed. */
export const returning: Reason = {
  rank: 60,
  isBrief: true,
  describe: (holds) => `waiting for ${holds.map(({ who }) => who).join(', ')} to come back after waking`,
}

/** The holder in messages. */
export const nameClient = (name: string | undefined): string => name ?? 'a client without a name'

/**
 * Sleeping clients, and woken ones that are expected back. Time must not move before they return: a client at work
 * between two sleeps would find a later time than it slept for.
 *
 * A named client is expected by its name. Clients without a name are only counted: one that goes to sleep counts as
 * the expected one, unless there are more clients than ever before.
 */
export class SleepingClients {
  readonly #ledger: Ledger
  /** The name of each expected client. The ledger has those that are still expected. */
  readonly #names = new WeakMap<TakenHold, string | undefined>()
  #sleeping = 0
  #maxAtOnce = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Parks a client that goes to sleep. Call `expectBack` when it wakes, and `over` in any case. */
  arrive(name: string | undefined): { expectBack: () => void; over: () => void } {
    const [expected] = this.#expected(name)
    if (name !== undefined) expected?.release()
    else this.#arriveUnnamed(expected)
    return {
      expectBack: () => {
        if (name !== undefined) this.#expected(name)[0]?.release()
        this.#names.set(this.#ledger.take(returning, nameClient(name), { forMs: graceMs }), name)
      },
      over: () => {
        if (name === undefined) this.#sleeping--
      },
    }
  }

  /** Expects no client any more. */
  forget(): void {
    for (const hold of this.#ledger.list(returning)) if (this.#names.has(hold)) hold.release()
    this.#maxAtOnce = 0
  }

  #arriveUnnamed(expected: TakenHold | undefined): void {
    const countHere = (): number => this.#sleeping + this.#expected(undefined).length
    if (countHere() < this.#maxAtOnce) expected?.release()
    this.#sleeping++
    this.#maxAtOnce = Math.max(this.#maxAtOnce, countHere())
  }

  /** The expected clients of a name, or all without one, oldest first. */
  #expected(name: string | undefined): TakenHold[] {
    return this.#ledger
      .list(returning)
      .filter((hold) => this.#names.has(hold) && this.#names.get(hold) === name)
  }
}
