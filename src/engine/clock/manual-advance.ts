import { checkAdvance } from './clock-modes.ts'
import type { ClockMode } from './clock-settings.ts'
import type { HostTimers } from './timers/host-timers.ts'
import { twoTurns } from './timers/steps.ts'
import type { Waiters } from './waiters.ts'

/** The clock that an advance moves. */
interface AdvancedClock {
  readonly waiters: Waiters
  readonly host: HostTimers
  readonly mode: () => ClockMode
  readonly moveTo: (instant: number) => void
}

/** Moves time by hand: waiters wake in order, each at its own instant, and each runs before the next. */
export class ManualAdvance {
  readonly #clock: AdvancedClock
  #latest: Promise<unknown> = Promise.resolve()

  constructor(clock: AdvancedClock) {
    this.#clock = clock
  }

  /**
   * Moves to an instant after the advances before it.
   * @param instant returns the instant; called when the advances before this one are over.
   * @returns the number of woken waiters.
   * @throws {ClockError} for a mode or an instant that allows no advance.
   */
  move(instant: () => number): Promise<number> {
    const moved = this.#latest.then(() => this.#advance(instant()))
    this.#latest = moved.catch(() => {})
    return moved
  }

  async #advance(instant: number): Promise<number> {
    const { waiters, host, mode, moveTo } = this.#clock
    checkAdvance(mode(), instant)
    let woken = 0
    for (let waiter = waiters.takeDue(instant); waiter; waiter = waiters.takeDue(instant)) {
      moveTo(waiter.due)
      waiter.wake()
      woken++
      await twoTurns(host)
      checkAdvance(mode(), instant) // -
    }
    moveTo(instant)
    await twoTurns(host)
    return woken
  }
}
