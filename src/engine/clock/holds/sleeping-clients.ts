import { startGrace, type HostTimers } from '../timers/host-timers.ts'

/** Ends the grace period of a client. */
type EndGrace = () => void

/**
 * Sleeping clients, and woken ones that are expected back. Time must not move before they return: a client at work
 * between two sleeps would find a later time than it slept for.
 *
 * A named client is expected by its name. Clients without a name are only counted: one that goes to sleep counts as
 * the expected one, unless there are more clients than ever before.
 */
export class SleepingClients {
  readonly #host: HostTimers
  readonly #graceMs: number
  readonly #onGone: () => void
  readonly #named = new Map<string, EndGrace>()
  readonly #unnamed = new Set<EndGrace>()
  #sleeping = 0
  #maxAtOnce = 0

  /** @param onGone called when an expected client did not return in time. */
  constructor(host: HostTimers, graceMs: number, onGone: () => void) {
    this.#host = host
    this.#graceMs = graceMs
    this.#onGone = onGone
  }

  /** The number of clients that are expected back. */
  get expected(): number {
    return this.#named.size + this.#unnamed.size
  }

  /** Parks a client that goes to sleep. Call `expectBack` when it wakes, and `over` in any case. */
  arrive(name: string | undefined): { expectBack: () => void; over: () => void } {
    if (name !== undefined) this.#returnNamed(name)
    else this.#return()
    return {
      expectBack: () => this.#expect(name),
      over: () => {
        if (name === undefined) this.#sleeping--
      },
    }
  }

  /** The names of the expected clients. */
  names(): string[] {
    return [...this.#named.keys(), ...Array.from(this.#unnamed, () => 'a client without a name')]
  }

  forget(): void {
    for (const endGrace of [...this.#named.values(), ...this.#unnamed]) endGrace()
    this.#named.clear()
    this.#unnamed.clear()
    this.#maxAtOnce = 0
  }

  #returnNamed(name: string): void {
    this.#named.get(name)?.()
    this.#named.delete(name)
  }

  #return(): void {
    const here = this.#sleeping + this.#unnamed.size
    const [first] = this.#unnamed
    if (first !== undefined && here < this.#maxAtOnce) {
      first()
      this.#unnamed.delete(first)
    }
    this.#sleeping++
    this.#maxAtOnce = Math.max(this.#maxAtOnce, this.#sleeping + this.#unnamed.size)
  }

  #expect(name: string | undefined): void {
    const endGrace = startGrace(this.#host, this.#graceMs, () => {
      if (name === undefined) this.#unnamed.delete(endGrace)
      else if (this.#named.get(name) === endGrace) this.#named.delete(name)
      this.#onGone()
    })
    if (name === undefined) this.#unnamed.add(endGrace)
    else this.#named.set(name, endGrace)
  }
}
