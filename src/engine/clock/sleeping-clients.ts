import type { HostTimers } from './timers/host-timers.ts'

type Timer = ReturnType<HostTimers['setTimeout']>

/**
 * Who sleeps on a clock, and who was woken and is on the way back. Time must not move on while somebody is: a
 * client between two sleeps is at work, and would find a later time than it slept for.
 *
 * A named client is expected by its name. Those without one are only counted: somebody who comes while one is
 * expected may be that one, or new. As long as there are no more of them than were ever here at once, it is taken
 * for one who came back; otherwise for a newcomer, and the grace decides about the other.
 */
export class SleepingClients {
  readonly #host: HostTimers
  readonly #graceMs: number
  readonly #onGone: () => void
  readonly #named = new Map<string, Timer>()
  readonly #unnamed = new Set<Timer>()
  #sleeping = 0
  #most = 0

  /** @param onGone called when somebody who was expected didn't come within the grace. */
  constructor(host: HostTimers, graceMs: number, onGone: () => void) {
    this.#host = host
    this.#graceMs = graceMs
    this.#onGone = onGone
  }

  /** How many are on the way back. */
  get expected(): number {
    return this.#named.size + this.#unnamed.size
  }

  /** Somebody goes to sleep. Call `expectBack` when it was woken, and `over` in any case. */
  arrive(name: string | undefined): { expectBack: () => void; over: () => void } {
    if (name !== undefined) this.#welcomeNamed(name)
    else this.#welcome()
    return {
      expectBack: () => this.#expect(name),
      over: () => {
        if (name === undefined) this.#sleeping--
      },
    }
  }

  /** The names of those on the way back; who has none is a client. */
  names(): string[] {
    return [...this.#named.keys(), ...Array.from(this.#unnamed, () => 'a client without a name')]
  }

  forget(): void {
    for (const timer of [...this.#named.values(), ...this.#unnamed]) this.#host.clearTimeout(timer)
    this.#named.clear()
    this.#unnamed.clear()
    this.#most = 0
  }

  #welcomeNamed(name: string): void {
    this.#host.clearTimeout(this.#named.get(name))
    this.#named.delete(name)
  }

  #welcome(): void {
    const here = this.#sleeping + this.#unnamed.size
    const [first] = this.#unnamed
    if (first !== undefined && here < this.#most) {
      this.#host.clearTimeout(first)
      this.#unnamed.delete(first)
    }
    this.#sleeping++
    this.#most = Math.max(this.#most, this.#sleeping + this.#unnamed.size)
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
