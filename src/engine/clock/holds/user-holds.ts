import { ClockError, type HoldStatus } from '../clock-settings.ts'
import type { HostTimers } from '../timers/host-timers.ts'

/** How long a hold lasts unless it is renewed, in the host's milliseconds. */
const defaultHoldMs = 30_000

export const maxHoldMs = 3_600_000
export const maxHolds = 100

interface Held {
  readonly name: string
  endsAtMs: number
  timer: ReturnType<HostTimers['setTimeout']> | undefined
}

/** Stops time in mode `auto`. A hold expires by the host's time, so that an abandoned one doesn't stop it forever. */
export class Holds {
  readonly #host: HostTimers
  readonly #onGone: () => void
  readonly #byId = new Map<string, Held>()
  #count = 0

  /** @param onGone called when a hold was released or has expired. */
  constructor(host: HostTimers, onGone: () => void) {
    this.#host = host
    this.#onGone = onGone
  }

  get size(): number {
    return this.#byId.size
  }

  /**
   * @param name the holder, for the clock's status.
   * @param forMs how long, in the host's milliseconds.
   * @throws {ClockError} for too long a time, and when there are too many holds.
   */
  take(name: string, forMs = defaultHoldMs): HoldStatus {
    checkDurationMs(forMs)
    if (this.#byId.size >= maxHolds) {
      throw new ClockError(`Failed to hold the clock: ${maxHolds} holds are held already. Let one go first.`)
    }
    const id = `hold_${++this.#count}`
    const held: Held = { name, endsAtMs: 0, timer: undefined }
    this.#byId.set(id, held)
    this.#schedule(id, held, forMs)
    return this.#status(id, held)
  }

  /**
   * Extends a hold to `forMs` from now.
   * @returns undefined for an expired or unknown hold.
   * @throws {ClockError} for too long a time.
   */
  renew(id: string, forMs = defaultHoldMs): HoldStatus | undefined {
    checkDurationMs(forMs)
    const held = this.#byId.get(id)
    if (!held) return undefined
    this.#schedule(id, held, forMs)
    return this.#status(id, held)
  }

  /** @returns whether the hold existed. */
  release(id: string): boolean {
    const held = this.#byId.get(id)
    if (!held) return false
    this.#host.clearTimeout(held.timer)
    this.#byId.delete(id)
    this.#onGone()
    return true
  }

  /** Releases all, oldest first. */
  clear(): void {
    for (const id of this.#byId.keys()) this.release(id)
  }

  list(): HoldStatus[] {
    return [...this.#byId].map(([id, held]) => this.#status(id, held))
  }

  #schedule(id: string, held: Held, forMs: number): void {
    this.#host.clearTimeout(held.timer)
    held.endsAtMs = this.#host.elapsedMs() + forMs
    held.timer = this.#host.setTimeout(() => this.release(id), forMs)
  }

  #status(id: string, { name, endsAtMs }: Held): HoldStatus {
    return { id, name, expiresInMs: Math.max(0, Math.round(endsAtMs - this.#host.elapsedMs())) }
  }
}

function checkDurationMs(forMs: number): void {
  if (forMs > 0 && forMs <= maxHoldMs) return
  throw new ClockError(
    `Failed to hold the clock: a hold lasts up to an hour, not ${forMs} ms. Take a shorter one, and renew it.`,
  )
}
