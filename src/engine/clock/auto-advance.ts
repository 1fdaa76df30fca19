import { defaultLimitMs, type Assumption, type ClockSettings } from './clock-settings.ts'
import type { HostTimers } from './timers/host-timers.ts'
import { Holds } from './holds.ts'
import { Participants } from './participants.ts'
import { SleepingClients } from './sleeping-clients.ts'
import type { Waiter } from './waiters.ts'

/** A client that was woken gets this long to come back before time moves on without it. */
const graceMs = 25

/** What keeps time from moving by itself. */
export type AdvanceBlocker =
  'advancing' | 'reading' | 'held' | 'absent' | 'returning' | 'nobody' | 'endless' | 'deadlock' | 'limit'

/**
 * When time may move by itself, in mode `auto`: nobody moves it by hand, no request is being read, nobody holds it, all
 * participants are parked, nobody who was woken is still on the way back, and somebody waits.
 */
export class AutoAdvance {
  readonly holds: Holds
  readonly participants: Participants
  readonly clients: SleepingClients
  readonly limitMs: number
  readonly #onChange: () => void
  readonly #assume: ReadonlySet<Assumption>
  #slept = false
  #reading = 0
  #advancing = 0
  #movedMs = 0

  /** @param onChange called when an obstacle may be gone. */
  constructor(settings: ClockSettings, host: HostTimers, onChange: () => void) {
    this.holds = new Holds(host, onChange)
    this.participants = new Participants({
      seats: settings.participants ?? 0,
      elapsedMs: host.elapsedMs,
      onGone: onChange,
    })
    this.clients = new SleepingClients(host, graceMs, onChange)
    this.#onChange = onChange
    this.limitMs = settings.limitMs ?? defaultLimitMs
    this.#assume = new Set(settings.assume ?? ['poll'])
    this.#slept = settings.resume?.slept ?? false
    this.#movedMs = settings.resume?.movedMs ?? 0
  }

  /** How many requests are being read. */
  get reading(): number {
    return this.#reading
  }

  /** What whoever goes on from here has to know. */
  get past(): { slept: boolean; movedMs: number } {
    return { slept: this.#slept, movedMs: this.#movedMs }
  }

  /** How far time may still move by itself. */
  get leftMs(): number {
    return Math.max(0, this.limitMs - this.#movedMs)
  }

  /** What keeps time from moving from `now` to the soonest waiter; undefined when nothing does. */
  obstacle(now: number, next: Waiter | undefined): AdvanceBlocker | undefined {
    if (this.#advancing > 0) return 'advancing'
    if (this.#reading > 0) return 'reading'
    if (this.holds.size > 0) return 'held'
    if (this.participants.parked < this.participants.expected) return 'absent'
    if (this.clients.expected > 0) return 'returning'
    if (!next) return 'nobody'
    if (next.due === Infinity) return this.participants.areKnown ? 'deadlock' : 'endless'
    return next.due - now > this.leftMs ? 'limit' : undefined
  }

  /** Whether something is taken for granted yet: not since a client slept, and not of participants, who say themselves. */
  assumes(what: Assumption): boolean {
    return this.#assume.has(what) && !this.waitedOn
  }

  /** Counts what time moved by itself. */
  moved(byMs: number): void {
    this.#movedMs += byMs
  }

  /** Whether clients wait on this clock: somebody slept here, or takes part. */
  get waitedOn(): boolean {
    return this.#slept || this.participants.areKnown
  }

  /** A client sleeps. Call `expectBack` when it was woken, and `over` in any case. */
  sleeps(name: string | undefined): { expectBack: () => void; over: () => void } {
    this.#slept = true
    const { expectBack, over } = this.clients.arrive(name)
    // For participants time waits in any case, however long they take.
    return { expectBack: () => void (!this.participants.areKnown && expectBack()), over }
  }

  /** Keeps time still while a request is being read. Call the result exactly once. */
  whileReading(): () => void {
    this.#reading++
    return () => {
      this.#reading--
      this.#onChange()
    }
  }

  /** Keeps time still while somebody moves it by hand. Call the result exactly once. */
  whileAdvancing(): () => void {
    this.#advancing++
    return () => {
      this.#advancing--
      this.#onChange()
    }
  }

  /** Knows of no client any more, and counts the way to the limit anew. Who takes part, still does. */
  forgetClients(): void {
    this.#slept = false
    this.#movedMs = 0
    this.clients.forget()
  }

  /** Whether somebody holds the clock or takes part by name, or a request is being read. */
  get inUse(): boolean {
    return this.#reading > 0 || this.holds.size > 0 || this.participants.names.length > 0
  }

  /** Lets go of the host's timers. */
  close(): void {
    this.clients.forget()
    this.holds.clear()
  }
}
