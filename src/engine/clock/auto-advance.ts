import { pluralize } from '../wording.ts'
import { Agents } from './agents/agents.ts'
import { defaultLimitMs, type Assumption, type ClockSettings } from './clock-settings.ts'
import { Deadlines } from './holds/deadlines.ts'
import { deriveLastMoment } from './holds/last-moment.ts'
import { Ledger, type Reason } from './holds/ledger.ts'
import { Participants } from './holds/participants.ts'
import { SleepingClients } from './holds/sleeping-clients.ts'
import { UserHolds } from './holds/user-holds.ts'
import type { HostTimers } from './timers/host-timers.ts'
import type { Waiters } from './waiters.ts'

/** A request that is being read. */
const reading: Reason = {
  rank: 20,
  isBrief: true,
  describe: ({ length }) => `reading ${pluralize(length, 'request')}`,
}

const advancing: Reason = { rank: 10, isBrief: true, describe: () => 'being advanced by hand' }

/**
 * Mode `auto`: time moves by itself to the next waiter, unless the ledger has a hold before it.
 */
export class AutoAdvance {
  readonly ledger: Ledger
  readonly holds: UserHolds
  readonly participants: Participants
  readonly clients: SleepingClients
  readonly deadlines: Deadlines
  readonly agents = new Agents()
  readonly limitMs: number
  readonly pollStepMs: number
  readonly #assume: ReadonlySet<Assumption>
  readonly #waiters: Waiters
  #hasSlept: boolean
  #hasSleptOverHttp = false
  #movedMs: number
  #assumedMs = 0

  /** @param onChange called when a hold may be over. */
  constructor(settings: ClockSettings, waiters: Waiters, host: HostTimers, onChange: () => void) {
    const ledger = new Ledger(host, onChange)
    this.ledger = ledger
    this.#waiters = waiters
    this.holds = new UserHolds(ledger, host)
    this.participants = new Participants(ledger, waiters, host, settings.participants)
    this.clients = new SleepingClients(ledger)
    this.deadlines = new Deadlines(ledger, waiters, host, this.participants, settings.requests)
    this.limitMs = settings.limitMs ?? defaultLimitMs
    this.pollStepMs = settings.pollStepMs ?? 5_000
    this.#assume = new Set(settings.assume ?? ['poll'])
    this.#hasSlept = settings.resume?.slept ?? false
    this.#movedMs = settings.resume?.movedMs ?? 0
    deriveLastMoment(ledger, this)
  }

  /** How many clients sleep on the clock. */
  get sleepers(): number {
    return this.#waiters.list().filter(({ waiting }) => waiting.kind === 'sleep').length
  }

  /** How many requests are being read. */
  get reading(): number {
    return this.ledger.list(reading).length
  }

  /** The state that a restored clock continues from. */
  get past(): { slept: boolean; movedMs: number } {
    return { slept: this.#hasSlept, movedMs: this.#movedMs }
  }

  /** How much virtual time may still pass before the limit. */
  get leftMs(): number {
    return Math.max(0, this.limitMs - this.#movedMs)
  }

  /** Whether time is about to move to the next waiter. */
  isMoving(now: number): boolean {
    const hold = this.ledger.before(this.#waiters.next(), now)
    return hold === undefined || hold.why.isBrief === true
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

  /** Counts the time that was skipped because a client was assumed to wait between two polls. */
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
    // Time waits for participants as long as they take.
    return { expectBack: () => void (!this.participants.areKnown && expectBack()), over }
  }

  /** Stops time while a request is being read. Call the result when it has been. */
  whileReading(): () => void {
    return this.ledger.take(reading, 'a request').release
  }

  /** Stops time while it is advanced by hand. Call the result when that is over. */
  whileAdvancing(): () => void {
    return this.ledger.take(advancing, 'an advance by hand').release
  }

  /** Forgets all clients except participants, and resets the time counted towards the limit. */
  forgetClients(): void {
    this.#hasSlept = false
    this.#hasSleptOverHttp = false
    this.#movedMs = 0
    this.clients.forget()
  }

  /** Whether there are holds, named participants or processes that take part. */
  get inUse(): boolean {
    return this.ledger.size > 0 || this.participants.names.length > 0 || this.agents.size > 0
  }

  /** Clears the host's timers. */
  close(): void {
    this.clients.forget()
    this.deadlines.close()
    this.ledger.clear()
  }
}
