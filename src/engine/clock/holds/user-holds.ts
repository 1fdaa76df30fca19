import { ClockError, type HoldStatus } from '../clock-settings.ts'
import type { HostTimers } from '../timers/host-timers.ts'
import type { Ledger, Reason, TakenHold } from './ledger.ts'

/** How long a hold lasts unless it is renewed, in the host's milliseconds. */
const defaultHoldMs = 30_000

export const maxHoldMs = 3_600_000
export const maxHolds = 100

/** The holds that users take. Each expires by the host's time, so that an abandoned one doesn't stop time forever. */
export class UserHolds {
  readonly #ledger: Ledger
  readonly #elapsedMs: () => number
  readonly #reason: Reason = {
    rank: 30,
    describe: () => `held by ${this.list().map(describeHold).join(', ')}`,
  }
  readonly #ids = new WeakMap<TakenHold, string>()
  #count = 0

  constructor(ledger: Ledger, { elapsedMs }: HostTimers) {
    this.#ledger = ledger
    this.#elapsedMs = elapsedMs
  }

  /**
   * @param name the holder, for the clock's status.
   * @param forMs how long, in the host's milliseconds.
   * @throws {ClockError} for too long a time, and when there are too many holds.
   */
  take(name: string, forMs = defaultHoldMs): HoldStatus {
    checkDurationMs(forMs)
    if (this.list().length >= maxHolds) {
      throw new ClockError(`Failed to hold the clock: ${maxHolds} holds are held already. Let one go first.`)
    }
    const hold = this.#ledger.take(this.#reason, name, { forMs })
    this.#ids.set(hold, `hold_${++this.#count}`)
    return this.#statusOf(hold)
  }

  /**
   * Extends a hold to `forMs` from now.
   * @returns undefined for an expired or unknown hold.
   * @throws {ClockError} for too long a time.
   */
  renew(id: string, forMs = defaultHoldMs): HoldStatus | undefined {
    checkDurationMs(forMs)
    const hold = this.#find(id)
    hold?.renew(forMs)
    return hold && this.#statusOf(hold)
  }

  /** @returns whether the hold existed. */
  release(id: string): boolean {
    const hold = this.#find(id)
    hold?.release()
    return hold !== undefined
  }

  /** Releases all, oldest first. */
  clear(): void {
    this.#ledger.clear(this.#reason)
  }

  list(): HoldStatus[] {
    return this.#ledger.list(this.#reason).map((hold) => this.#statusOf(hold))
  }

  #find(id: string): TakenHold | undefined {
    return this.#ledger.list(this.#reason).find((hold) => this.#ids.get(hold) === id)
  }

  #statusOf(hold: TakenHold): HoldStatus {
    const expiresInMs = Math.max(0, Math.round(hold.ends - this.#elapsedMs()))
    return { id: this.#ids.get(hold)!, name: hold.who, expiresInMs }
  }
}

function describeHold({ name, id, expiresInMs }: HoldStatus): string {
  return `${name} (${id}, for another ${(expiresInMs / 1_000).toFixed(1)} s)`
}

function checkDurationMs(forMs: number): void {
  if (forMs > 0 && forMs <= maxHoldMs) return
  throw new ClockError(
    `Failed to hold the clock: a hold lasts up to an hour, not ${forMs} ms. Take a shorter one, and renew it.`,
  )
}
