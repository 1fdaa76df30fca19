import type { Stuck } from '../clock-settings.ts'
import { startGrace, type HostTimers } from '../timers/host-timers.ts'
import { momentOf, type Waiter } from '../waiters.ts'

/** Something that keeps the time of mode `auto` from passing a moment. */
export interface Hold {
  /** Who holds time: a client, a process, a request. */
  readonly who: string
  readonly why: Reason
  /** The last moment that time may reach; -Infinity if it may not move at all. See {@link momentOf}. */
  readonly from: number
  /** When it ends by itself, by the host's stopwatch; Infinity if it does not. */
  readonly ends: number
}

/** Why time is held. Each kind of hold has one, and the clock knows nothing else of it. */
export interface Reason {
  /** If time is held for several reasons, the status describes the one with the lowest rank. */
  readonly rank: number
  /** Completes the status's sentence. @param holds all holds for this reason. */
  readonly describe: (holds: readonly Hold[], time: HeldTime) => string
  /** Whether such a hold is over in a moment, so that time is about to move. */
  readonly isBrief?: boolean
  /** What is reported of a client: `absent` if nothing happens for a while, anything else at once. */
  readonly outcome?: Stuck['outcome']
  /** Called after each check of the clock. @param isHeld whether time is held for this reason. */
  readonly onCheck?: (isHeld: boolean) => void
}

/** The clock whose time is held. */
export interface HeldTime {
  readonly now: number
  readonly start: number
  /** All waiters, soonest first. */
  readonly waiters: readonly Waiter[]
}

/** Finds a hold that follows from the state of the clock. @param next the next waiter. */
type FindHold = (next: Waiter | undefined, now: number) => { who: string; from?: number } | undefined

/** A hold that lasts until it is released. */
export interface TakenHold extends Hold {
  /** Ends the hold. Later calls do nothing. */
  readonly release: () => void
  /** Lets the hold end by itself after this time of the host, instead of the time before. */
  readonly renew: (forMs: number) => void
}

interface Entry {
  readonly reason: Reason
  readonly taken: Set<TakenHold>
  find?: FindHold
}

const byRank = (one: Entry, other: Entry): number => one.reason.rank - other.reason.rank

/**
 * All holds of a clock. A hold is either taken and released, or it follows from the state of the clock, such as that a
 * participant is not parked.
 */
export class Ledger {
  readonly #host: HostTimers
  readonly #entries: Entry[] = []
  /** Reports that a hold may be over. Taken holds report that themselves. */
  readonly changed: () => void

  /** @param onChange called when a hold may be over. */
  constructor(host: HostTimers, onChange: () => void) {
    this.#host = host
    this.changed = onChange
  }

  /**
   * Holds time until the result is released.
   * @param options `from` is the last moment that time may reach, by default the present; `forMs` is after which time of the host
   * it ends by itself.
   */
  take(why: Reason, who: string, options: { from?: number; forMs?: number } = {}): TakenHold {
    const { from = -Infinity, forMs } = options
    const { taken } = this.#entryOf(why)
    const [host, changed] = [this.#host, this.changed]
    let ends = Infinity
    let endTimer = (): void => {}
    const hold: TakenHold = {
      who,
      why,
      from,
      get ends() {
        return ends
      },
      release: () => {
        endTimer()
        if (taken.delete(hold)) changed()
      },
      renew: (ms) => {
        endTimer()
        ends = host.elapsedMs() + ms
        // A machine that stops this process for a while must not end a brief hold.
        endTimer = startGrace(host, ms, hold.release, why.isBrief ? 5 : 1)
      },
    }
    taken.add(hold)
    if (forMs !== undefined) hold.renew(forMs)
    return hold
  }

  /** Adds holds that follow from the state of the clock. A found hold is one before the next waiter. */
  derive(why: Reason, find: FindHold): void {
    this.#entryOf(why).find = find
  }

  /** The hold that keeps time from reaching the next waiter; undefined if none does. */
  before(next: Waiter | undefined, now: number): Hold | undefined {
    const moment = next === undefined ? Infinity : momentOf(next)
    for (const { reason, taken, find } of this.#entries) {
      for (const hold of taken) if (hold.from < moment) return hold
      const found = find?.(next, now)
      if (found) return { from: now, ends: Infinity, why: reason, ...found }
    }
    return undefined
  }

  /** Finds the hold before the next waiter, and reports it to the reasons that watch for it. */
  check(next: Waiter | undefined, now: number): Hold | undefined {
    const hold = this.before(next, now)
    for (const { reason } of this.#entries) reason.onCheck?.(hold?.why === reason)
    return hold
  }

  /** Whether a taken hold that is not brief keeps time from reaching an instant. */
  isHeldBefore(instant: number): boolean {
    return this.#entries.some(
      ({ reason, taken }) => !reason.isBrief && [...taken].some(({ from }) => from < instant),
    )
  }

  /** Completes the status's sentence. */
  describe(hold: Hold, time: HeldTime): string {
    const taken = this.list(hold.why)
    return hold.why.describe(taken.length > 0 ? taken : [hold], time)
  }

  /** The taken holds for a reason, oldest first. */
  list(why: Reason): TakenHold[] {
    return [...this.#entryOf(why).taken]
  }

  /** How many holds are taken. */
  get size(): number {
    return this.#entries.reduce((sum, { taken }) => sum + taken.size, 0)
  }

  /** Releases all holds for a reason, oldest first; without one, all holds. */
  clear(why?: Reason): void {
    const entries = why ? [this.#entryOf(why)] : this.#entries
    for (const { taken } of entries) for (const hold of taken) hold.release()
  }

  #entryOf(reason: Reason): Entry {
    const known = this.#entries.find((entry) => entry.reason === reason)
    if (known) return known
    const entry = { reason, taken: new Set<TakenHold>() }
    this.#entries.push(entry)
    this.#entries.sort(byRank)
    return entry
  }
}
