import type { HostTimers } from './timers/host-timers.ts'

type Timer = ReturnType<HostTimers['setTimeout']>

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
  readonly #named = new Map<string, Timer>()
  readonly #unnamed = new Set<Timer>()
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
    for (const timer of [...this.#named.values(), ...this.#unnamed]) this.#host.clearTimeout(timer)
    this.#named.clear()
    this.#unnamed.clear()
    this.#maxAtOnce = 0
  }

  #returnNamed(name: string): void {
    this.#host.clearTimeout(this.#named.get(name))
    this.#named.delete(name)
  }

  #return(): void {
    const here = this.#sleeping + this.#unnamed.size
    const [first] = this.#unnamed
    if (first !== undefined && here < this.#maxAtOnce) {
      this.#host.clearTimeout(first)
      this.#unnamed.delete(first)
    }
    this.#sleeping++
    this.#maxAtOnce = Math.max(this.#maxAtOnce, this.#sleeping + this.#unnamed.size)
  }

  #expect(name: string | undefined): void {
    const timer = this.#host.setTimeout(() => {
      if (name === undefined) this.#unnamed.delete(timer)
      else if (this.#named.get(name) === timer) this.#named.delete(name)
      this.#onGone()
    }, this.#graceMs)
    if (name === undefined) this.#unnamed.add(timer)
    else this.#named.set(name, timer)
  }
}
