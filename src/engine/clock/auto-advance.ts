import { defaultLimitMs, type Assumption, type ClockSettings } from './clock-settings.ts'
import { Agents } from './agents/agents.ts'
import type { HostTimers } from './timers/host-timers.ts'
import { Deadlines } from './holds/deadlines.ts'
import { Holds } from './holds/user-holds.ts'
import { Participants } from './holds/participants.ts'
import { SleepingClients } from './holds/sleeping-clients.ts'
import type { Waiter } from './waiters.ts'

/** How long time waits for a woken client to return. */
const graceMs = 25

/** A reason why time can't move by itself. */
export type AdvanceBlocker =
  | 'advancing'
  | 'reading'
  | 'held'
  | 'agents'
  | 'absent'
  | 'returning'
  | 'idle'
  | 'working'
  | 'unsure'
  | 'endless'
  | 'deadlock'
  | 'limit'

const soonGone: ReadonlySet<AdvanceBlocker> = new Set([
  'advancing',
  'reading',
  'agents',
  'returning',
  'unsure',
])

/**
 * Decides when time moves by itself in mode `auto`. There must be a waiter, and none of these: a manual advance, a
 * request that is being read, a hold, a participant that isn't parked, a woken client that is expected back, a
 * process that disagrees. Time stops at a deadline whose owner is busy.
 */
export class AutoAdvance {
  readonly holds: Holds
  readonly participants: Participants
  readonly clients: SleepingClients
  readonly deadlines: Deadlines
  readonly agents = new Agents()
  readonly limitMs: number
  readonly #onChange: () => void
  readonly #assume: ReadonlySet<Assumption>
  #hasSlept: boolean
  #hasSleptOverHttp = false
  #sleepers = 0
  #reading = 0
  #advancing = 0
  #movedMs: number
  #assumedMs = 0

  /** @param onChange called when a blocker may be gone. */
  constructor(settings: ClockSettings, host: HostTimers, onChange: () => void) {
    this.holds = new Holds(host, onChange)
    this.participants = new Participants({
      seats: settings.participants ?? 0,
      elapsedMs: host.elapsedMs,
      onGone: onChange,
    })
    this.clients = new SleepingClients(host, graceMs, onChange)
    this.deadlines = new Deadlines(host, this.participants, settings.requests, onChange)
    this.#onChange = onChange
    this.limitMs = settings.limitMs ?? defaultLimitMs
    this.#assume = new Set(settings.assume ?? ['poll'])
    this.#hasSlept = settings.resume?.slept ?? false
    this.#movedMs = settings.resume?.movedMs ?? 0
  }

  /** How many clients sleep on the clock. */
  get sleepers(): number {
    return this.#sleepers
  }

  /** How many requests are being read. */
  get reading(): number {
    return this.#reading
  }

  /** The state that a restored clock continues from. */
  get past(): { slept: boolean; movedMs: number } {
    return { slept: this.#hasSlept, movedMs: this.#movedMs }
  }

  /** How much virtual time may still pass before the limit. */
  get leftMs(): number {
    return Math.max(0, this.limitMs - this.#movedMs)
  }

  /** The reason why time can't move from `now` to the next waiter; undefined if it can. */
  blocker(now: number, next: Waiter | undefined): AdvanceBlocker | undefined {
    if (this.#advancing > 0) return 'advancing'
    if (this.#reading > 0) return 'reading'
    if (this.holds.size > 0) return 'held'
    if (this.agents.obstacle() !== undefined) return 'agents'
    if (this.participants.parked < this.participants.expected) return 'absent'
    if (this.clients.expected > 0 || this.deadlines.isReacting) return 'returning'
    // Each process would have ended if neither a timer nor a server held it.
    if (!next) return this.isExact && this.agents.size > 0 ? 'deadlock' : 'idle'
    const { kind, name, isTimer } = next.waiting
    const atWork = kind === 'deadline' && !isTimer ? this.deadlines.blocker(name) : undefined
    if (atWork) return atWork
    if (next.due === Infinity)
      return this.participants.areKnown || this.agents.size > 0 ? 'deadlock' : 'endless'
    return next.due - now > this.leftMs ? 'limit' : undefined
  }

  /** Whether time is about to move to the next waiter. */
  isMoving(now: number, next: Waiter | undefined): boolean {
    const blocker = this.blocker(now, next)
    return blocker === undefined || soonGone.has(blocker)
  }

  /** Whether a wait is assumed: never after a client slept, nor with participants, whose waits are known. */
  assumes(what: Assumption): boolean {
    return this.#assume.has(what) && !this.hasClients
  }

  /**
   * Whether the waits of clients are known exactly: every client is a process that states when it can do nothing
   * more.
   */
  get isExact(): boolean {
    return this.agents.areKnown && !this.agents.areApproximate && !this.#hasSleptOverHttp
  }

  /** Adds to the time that passed without a manual advance. */
  countMove(byMs: number): void {
    this.#movedMs += byMs
  }

  /** Adds to the time that passed because polls were assumed to be apart. */
  countPollSteps(byMs: number): void {
    this.#assumedMs += byMs
  }

  /** How far assumed poll steps have moved time. */
  get assumedMs(): number {
    return this.#assumedMs
  }

  /** Whether clients wait on this clock: one slept on it, or processes or participants take part. */
  get hasClients(): boolean {
    return this.#hasSlept || this.participants.areKnown || this.agents.areKnown
  }

  /** Parks a client that goes to sleep. Call `expectBack` when it wakes, and `over` in any case. */
  sleep(name: string | undefined): { expectBack: () => void; over: () => void } {
    this.#hasSlept = true
    this.#hasSleptOverHttp = true
    const { expectBack, over } = this.clients.arrive(name)
    this.#sleepers++
    // Time waits for participants as long as they take.
    return {
      expectBack: () => void (!this.participants.areKnown && expectBack()),
      over: () => {
        this.#sleepers--
        over()
      },
    }
  }

  /** Stops time while a request is being read. Call the result exactly once. */
  whileReading(): () => void {
    this.#reading++
    return () => {
      this.#reading--
      this.#onChange()
    }
  }

  /** Stops time while it is advanced by hand. Call the result exactly once. */
  whileAdvancing(): () => void {
    this.#advancing++
    return () => {
      this.#advancing--
      this.#onChange()
    }
  }

  /** Forgets all clients except participants, and resets the time counted towards the limit. */
  forgetClients(): void {
    this.#hasSlept = false
    this.#hasSleptOverHttp = false
    this.#movedMs = 0
    this.clients.forget()
  }

  /** Whether there are holds, named participants or requests that are being read. */
  get inUse(): boolean {
    return (
      this.#reading > 0 || this.holds.size > 0 || this.participants.names.length > 0 || this.agents.size > 0
    )
  }

  /** Clears the host's timers. */
  close(): void {
    this.clients.forget()
    this.deadlines.close()
    this.holds.clear()
  }
}
