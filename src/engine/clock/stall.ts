import type { Stuck } from './clock-settings.ts'
import type { HostTimers } from './timers/host-timers.ts'

/** Since when time stands still for good, and who was told. */
export class Stall {
  readonly #host: HostTimers
  readonly #onStuck: (stuck: Stuck) => void
  #outcome: Stuck['outcome'] | undefined = undefined
  #ofPolls = false
  #sinceMs = 0

  constructor(host: HostTimers, onStuck: (stuck: Stuck) => void = () => {}) {
    this.#host = host
    this.#onStuck = onStuck
  }

  /**
   * Time stands still from now on, if it didn't before. Whoever wants to know is told once.
   * @param options `ofPolls` where it is a poll that would have moved time.
   */
  begin(
    outcome: Stuck['outcome'],
    words: () => Pick<Stuck, 'why' | 'waiting'>,
    { ofPolls = false }: { ofPolls?: boolean } = {},
  ): void {
    if (this.#outcome === outcome) return
    this.#outcome = outcome
    this.#ofPolls = ofPolls
    this.#sinceMs = this.#host.elapsedMs()
    this.#onStuck(this.told(words)!)
  }

  /** Nobody is stuck in a wait any more; whoever polls may still be. */
  waitersGone(): void {
    if (!this.#ofPolls) this.over()
  }

  over(): void {
    this.#outcome = undefined
  }

  told(words: () => Pick<Stuck, 'why' | 'waiting'>): Stuck | null {
    if (this.#outcome === undefined) return null
    const { why, waiting } = words()
    const forMs = Math.round(this.#host.elapsedMs() - this.#sinceMs)
    return { outcome: this.#outcome, why, waiting, forMs }
  }
}
