import { ClockError, type HoldStatus } from './clock-settings.ts'
import type { HostTimers } from './timers/host-timers.ts'

/** How long a hold lasts unless it is renewed, in the host's time. */
export const defaultHoldMs = 30_000

export const maxHoldMs = 3_600_000
export const maxHolds = 100

interface Held {
  readonly name: string
  endsAtMs: number
  timer: ReturnType<HostTimers['setTimeout']> | undefined
}

/**
 * Who keeps time from moving by itself, by name. A hold ends by itself after a while of the host's time, so that one
 * whose holder died stops nobody for ever.
 */
export class Holds {
  readonly #host: HostTimers
  readonly #onGone: () => void
  readonly #byId = new Map<string, Held>()
  #count = 0

  /** @param onGone called when a hold was let go or ran out. */
  constructor(host: HostTimers, onGone: () => void) {
    this.#host = host
    this.#onGone = onGone
  }

  get size(): number {
    return this.#byId.size
  }

  /**
   * @param name who holds, for whoever wonders why time stands still.
   * @param forMs how long, in the host's milliseconds.
   * @throws {ClockError} for too long a time, and when there are too many holds.
   */
  take(name: string, forMs = defaultHoldMs): HoldStatus {
    checkSpan(forMs)
    if (this.#byId.size >= maxHolds) {
      throw new ClockError(`Failed to hold the clock: ${maxHolds} holds are held already. Let one go first.`)
    }
    const id = `hold_${++this.#count}`
    const held: Held = { name, endsAtMs: 0, timer: undefined }
    this.#byId.set(id, held)
    this.#wind(id, held, forMs)
    return this.#status(id, held)
  }

  /**
   * Lets a hold last so long from now on.
   * @returns undefined when there is no such hold any more.
   * @throws {ClockError} for too long a time.
   */
  renew(id: string, forMs = defaultHoldMs): HoldStatus | undefined {
    checkSpan(forMs)
    const held = this.#byId.get(id)
    if (!held) return undefined
    this.#wind(id, held, forMs)
    return this.#status(id, held)
  }

  /** @returns whether there was such a hold. */
  release(id: string): boolean {
    const held = this.#byId.get(id)
    if (!held) return false
    this.#host.clearTimeout(held.timer)
    this.#byId.delete(id)
    this.#onGone()
    return true
  }

  /** Lets all go, oldest first. */
  clear(): void {
    for (const id of this.#byId.keys()) this.release(id)
  }

  list(): HoldStatus[] {
    return [...this.#byId].map(([id, held]) => this.#status(id, held))
  }

  #wind(id: string, held: Held, forMs: number): void {
    this.#host.clearTimeout(held.timer)
    held.endsAtMs = this.#host.elapsedMs() + forMs
    held.timer = this.#host.setTimeout(() => this.release(id), forMs)
  }

  #status(id: string, { name, endsAtMs }: Held): HoldStatus {
    return { id, name, expiresInMs: Math.max(0, Math.round(endsAtMs - this.#host.elapsedMs())) }
  }
}

function checkSpan(forMs: number): void {
  if (forMs > 0 && forMs <= maxHoldMs) return
  throw new ClockError(
    `Failed to hold the clock: a hold lasts up to an hour, not ${forMs} ms. Take a shorter one, and renew it.`,
  )
}
