import { checkAdvance } from './clock-modes.ts'
import { ClockClosed, latestInstant, type ClockMode } from './clock-settings.ts'
import type { HostTimers } from './timers/host-timers.ts'
import { twoTurns } from './timers/steps.ts'

/** What waits on a clock, and why. */
export interface Waiting {
  /** A client that sleeps, a response that a client waits for, background work, or a client's deadline. */
  readonly kind: 'sleep' | 'answer' | 'work' | 'deadline'
  /** The name of the participant, if it sent one. */
  readonly name?: string
  /** Whether it is a timer of a process that takes part in the clock. */
  readonly isTimer?: boolean
  /** The number of the exchange that the response belongs to. */
  readonly number?: number
  /** The line of the program that sent its request. */
  readonly place?: string
}

/** Something parked until an instant. */
export interface Waiter {
  readonly due: number
  readonly waiting: Waiting
  /** Orders what is due at the same instant. */
  readonly rank: string
  /** Called once, with the clock at `due` or, in real time, shortly after. */
  readonly wake: () => void
  /** Called instead of `wake` when the clock closes. */
  readonly end?: () => void
}

/** A waiter before it is parked. */
interface Wait extends Omit<Waiter, 'wake' | 'end'> {
  readonly signal?: AbortSignal | undefined
  /** Called once when the wait is over, however it ends. */
  readonly onOver: () => void
  /** Called when the client leaves, after the waiter is gone. */
  readonly onLeave: () => void
}

/** A waiter in the list. */
export interface ListedWaiter {
  /** When it is due. Deadlines can be postponed. */
  readonly due: number
  /** Removes the waiter. @returns whether it still waited. */
  readonly remove: () => boolean
}

interface Entry extends Waiter {
  due: number
  readonly order: number
}

/**
 * Everything that waits on one clock, sorted by due time, then rank, then order of arrival. Deadlines come last at
 * their instant: a response at that instant is in time.
 */
export class Waiters {
  readonly #entries: Entry[] = []
  #order = 0

  get size(): number {
    return this.#entries.length
  }

  /** The names of the clients that sleep or wait for a response, one for each wait; undefined for those without a name. */
  parkedClients(): (string | undefined)[] {
    return this.#namesOf(({ kind }) => kind === 'sleep' || kind === 'answer')
  }

  /** The owners of deadlines, one for each deadline. */
  deadlineOwners(): (string | undefined)[] {
    return this.#namesOf(({ kind, isTimer }) => kind === 'deadline' && !isTimer)
  }

  next(): Waiter | undefined {
    return this.#entries[0]
  }

  /** How many responses wait for an instant, or forever. */
  get delayedResponses(): number {
    return this.#entries.filter(({ waiting }) => waiting.kind === 'answer').length
  }

  /** Whether a response waits for an instant that will come. */
  get hasResponses(): boolean {
    return this.#entries.some(({ waiting, due }) => waiting.kind === 'answer' && due < Infinity)
  }

  add(waiter: Waiter): ListedWaiter {
    const entry = { ...waiter, order: this.#order++ }
    this.#entries.splice(this.#indexOf(entry), 0, entry)
    const remove = (): boolean => {
      const index = this.#indexOf(entry)
      return this.#entries[index] === entry && this.#entries.splice(index, 1).length > 0
    }
    return {
      get due() {
        return entry.due
      },
      remove,
    }
  }

  /**
   * Adds a waiter and resolves when it wakes.
   *
   * @throws The signal's reason when the client leaves. {ClockClosed} for a response, when the clock closes.
   */
  park({ signal, onOver, onLeave, ...waiter }: Wait): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        remove()
        onOver()
        onLeave()
        reject(signal!.reason as Error)
      }
      const over = (): void => {
        signal?.removeEventListener('abort', leave)
        onOver()
      }
      const wake = (): void => {
        over()
        resolve()
      }
      const end = (): void => {
        over()
        reject(new ClockClosed())
      }
      const { remove } = this.add({ ...waiter, wake, ...(waiter.waiting.kind === 'answer' && { end }) })
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Postpones all deadlines. One after the end of time never passes. */
  postponeDeadlines(byMs: number): void {
    const deadlines = this.#entries.filter(isDeadline)
    if (deadlines.length === 0) return
    for (const entry of deadlines) {
      const due = entry.due + byMs
      entry.due = due > latestInstant ? Infinity : due
    }
    this.#entries.sort((one, other) => (isBefore(one, other) ? -1 : 1))
  }

  /** Everything that waits, soonest first. */
  list(): Waiter[] {
    return this.#entries.slice()
  }

  /** Removes and returns the soonest waiter, if it is due by `instant`. */
  takeDue(instant: number): Waiter | undefined {
    return this.#entries[0] && this.#entries[0].due <= instant ? this.#entries.shift() : undefined
  }

  /** Ends every wait, soonest first. */
  endAll(): void {
    for (let waiter = this.takeDue(Infinity); waiter; waiter = this.takeDue(Infinity)) {
      if (waiter.end) waiter.end()
      else waiter.wake()
    }
  }

  #namesOf(isListed: (waiting: Waiting) => boolean): (string | undefined)[] {
    return this.#entries.filter(({ waiting }) => isListed(waiting)).map(({ waiting }) => waiting.name)
  }

  /** The index of an entry, or where it belongs. */
  #indexOf(entry: Entry): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(this.#entries[middle]!, entry)) low = middle + 1
      else high = middle
    }
    return low
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  if (one.due !== other.due) return one.due < other.due
  if (isDeadline(one) !== isDeadline(other)) return isDeadline(other)
  return one.rank === other.rank ? one.order < other.order : one.rank < other.rank
}

function isDeadline({ waiting }: Waiter): boolean {
  return waiting.kind === 'deadline'
}

/**
 * Where a waiter lies in time. Instants are whole milliseconds, and the deadlines of an instant come after everything else of it:
 * half a millisecond later.
 */
export function momentOf(waiter: Waiter): number {
  return isDeadline(waiter) ? waiter.due + 0.5 : waiter.due
}

/** The clock whose waiters a part of it adds. */
export interface HomeClock {
  readonly waiters: Waiters
  readonly mode: () => ClockMode
  readonly now: () => number
  readonly rate: () => number
  /** Reports that waiters have changed, or that time may move. */
  readonly onChange: () => void
}

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
