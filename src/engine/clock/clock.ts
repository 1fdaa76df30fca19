import { Agreement } from './agents/agreement.ts'
import { AutoAdvance } from './auto-advance.ts'
import { checkInstant, instantFor, rateOf, refuseWait, startOf, timingOf } from './clock-modes.ts'
import { ManualAdvance, Waiters, type HomeClock, type Waiting } from './waiters.ts'
import {
  ClockClosed,
  latestInstant,
  type Assumption,
  type ClockMode,
  type ClockSettings,
  type ClockStatus,
  type ResumedTime,
  type Timing,
} from './clock-settings.ts'
import { statusOf } from './clock-status.ts'
import type { Deadline } from './holds/deadlines.ts'
import { hostTimers, type HostTimers } from './timers/host-timers.ts'
import { ManualWaitWatch, Stall } from './stall.ts'
import { presentTimers } from './timers/fake-timers.ts'
import { twoTurns } from './timers/steps.ts'
import { Alarm, TimeSource } from './timers/time-source.ts'

const delayedAnswer: Waiting = { kind: 'answer' }

/** The time of one namespace in whole milliseconds, which never go back, and everything that waits on it. */
export class Clock {
  /** Mode `auto`: holds, participants, assumptions. */
  readonly auto: AutoAdvance
  readonly agreement: Agreement
  readonly #host: HostTimers
  readonly #waiters = new Waiters()
  readonly #home: HomeClock
  readonly #stall: Stall
  readonly #manualWait: ManualWaitWatch
  readonly #start: number
  readonly #source: TimeSource
  readonly #alarm: Alarm
  readonly #advance: ManualAdvance
  readonly #nextStep: (now: number) => number | null
  #mode: ClockMode = 'manual'
  #idleCheck = false
  #closed = false

  /** @throws {ClockError} for settings that contradict themselves, and for timers that were faked too early. */
  constructor(settings: ClockSettings, host: HostTimers = hostTimers) {
    this.#host = host
    const waiters = this.#waiters
    this.auto = new AutoAdvance(settings, waiters, host, () => this.#checkWhenIdle())
    this.#stall = new Stall(host, waiters, settings, () => this.status())
    this.#manualWait = new ManualWaitWatch(host, waiters, () => settings.onManualWait?.(this.status().why))
    this.#nextStep = settings.nextStep ?? (() => null)
    this.#start = startOf(settings, host)
    this.#source = new TimeSource(settings.resume?.now ?? this.#start, host, settings.onMove)
    const mode = (): ClockMode => this.#mode
    const onChange = (): void => this.#waitersChanged()
    this.#home = { waiters, mode, now: () => this.now(), rate: () => this.#source.rate, onChange }
    this.agreement = new Agreement(this.auto, this.#home, host, () => this.#stall.begin('outside'))
    this.#advance = new ManualAdvance({ waiters, host, mode, moveTo: this.#moveTo.bind(this) })
    this.#alarm = new Alarm(this.#source, () => {
      this.catchUp()
      this.#arm()
    })
    this.setMode(settings.mode, settings.rate)
  }

  /** The virtual instant, in whole milliseconds since 1970. */
  now(): number {
    return this.#source.now()
  }

  /** Which clock measures the waits of clients. */
  get timing(): Timing {
    return timingOf(this.#mode, this.auto)
  }

  get mode(): ClockMode {
    return this.#mode
  }

  /** The state from which a restored clock continues. */
  get past(): ResumedTime & { mode: ClockMode; rate: number } {
    return { mode: this.#mode, rate: this.#source.rate, now: this.now(), ...this.auto.past }
  }

  /**
   * Changes how time moves from now on; the present instant stays.
   * @param rate for `scaled`; without it, a scaled clock stays at its rate.
   * @throws {ClockError} for an unknown mode, a rate that isn't above 0 or belongs to another mode, and if the timers or
   * the `Date` of this process don't allow the mode.
   */
  setMode(mode: ClockMode, rate?: number): void {
    const pace = rateOf(mode, rate, this.#mode === 'scaled' ? this.#source.rate : 1)
    // Already following Date. Following it again would move time back if Date was set back.
    if (mode === 'host' && this.#mode === 'host') return
    // Waiters that are due now belong to the mode in which time passed.
    this.catchUp()
    const now = instantFor(mode, this.now())
    this.#source.follow(pace, mode === 'host' ? presentTimers() : this.#host)
    this.#source.moveTo(now)
    this.#mode = mode
    if (pace !== 0) this.auto.holds.clear()
    this.#stall.end()
    this.#stall.stop()
    this.auto.agents.tellAll()
    if (mode !== 'auto') this.agreement.close()
    this.#arm()
    this.#checkWhenIdle()
  }

  /** Wakes everything that is due by now, in order. @returns now, in milliseconds since 1970. */
  catchUp(): number {
    const now = this.now()
    if (this.#source.rate !== 0) this.#wakeUntil(now)
    return now
  }

  /**
   * Parks a client. In `auto`, parked clients move time, and from now on no waits are assumed. Time waits a moment for a woken
   * client to return; for a participant it waits as long as necessary.
   * @param options `signal` lets the client leave; `as` names it. Without names, a new client can be mistaken for one that
   * came back. With participants, a new name becomes one.
   * @returns the instant at which it woke. Rejects with the signal's reason when it leaves.
   */
  async sleep(durationMs: number, options: { signal?: AbortSignal; as?: string } = {}): Promise<number> {
    const { signal, as } = options
    const wake = this.auto.sleep(as)
    try {
      await this.wait(durationMs, signal, as === undefined ? { kind: 'sleep' } : { kind: 'sleep', name: as })
      if (this.#mode === 'auto') wake.expectBack()
      return this.now()
    } finally {
      wake.over()
    }
  }

  /**
   * Opens a deadline of a client. It never moves an `auto` clock while its owner is at work; see {@link Deadlines}.
   * An assumed wait postpones it, because the client had waited before.
   * @param owner the name that the client's requests and sleeps carry, if they carry one.
   * @throws {ClockClosed} {ClockError} as {@link wait} does.
   */
  deadline(durationMs: number, owner?: string): Deadline {
    if (this.#closed) throw new ClockClosed()
    const refusal = refuseWait(this.#mode)
    if (refusal) throw refusal
    return this.auto.deadlines.open(owner, this.#dueIn(durationMs), this.#home)
  }

  /** Forgets that clients have slept, and how far time has moved by itself. Holds and participants stay. */
  forgetClients(): void {
    this.auto.forgetClients()
    this.#stall.end()
  }

  /**
   * Parks work of the simulator, such as a delayed response. In `auto`, this moves time too.
   * @param waiting what waits; by default a response, which stands for some participant.
   * @throws {ClockClosed} for a response, when the clock closes before it is due.
   */
  wait(durationMs: number, signal?: AbortSignal, waiting: Waiting = delayedAnswer): Promise<void> {
    if (this.#closed) return waiting.kind === 'answer' ? Promise.reject(new ClockClosed()) : Promise.resolve()
    const refusal = refuseWait(this.#mode)
    if (refusal) return Promise.reject(refusal)
    const due = this.#dueIn(durationMs)
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const { name, kind } = waiting
    const { participants, deadlines } = this.auto
    const isClient = kind !== 'work'
    if (isClient) deadlines.acted(name)
    if (isClient && name !== undefined) participants.seen(name)
    // Participants arrive in any order. If two waits are due at the same instant, the names decide.
    const rank = participants.areKnown ? (name ?? '') : ''
    const onOver = (): void => void (isClient && name !== undefined && participants.woke(name))
    const onLeave = (): void => {
      deadlines.acted(name)
      this.#waitersChanged()
    }
    const parked = this.#waiters.park({ due, waiting, rank, signal, onOver, onLeave })
    this.#waitersChanged()
    return parked
  }

  /**
   * In `auto`, as long as no client has slept on this clock, a poll is assumed to come the poll step after the poll
   * before. Time doesn't move if the step has already passed.
   * @returns whether this is assumed, whether time moved or not.
   */
  assumePollStep(lastLook: number): boolean {
    return this.#assume('poll', lastLook + this.auto.pollStepMs)
  }

  /**
   * With the option for it, a retry is assumed to come when `Retry-After` allowed it. @returns whether that is assumed.
   */
  assumeRetryAfter(due: number): boolean {
    return this.#assume('retry-after', due)
  }

  /**
   * Moves to an instant. Waiters wake in order, each at its own instant, and each runs before the next.
   * @returns the number of woken waiters, once everything due has been applied.
   * @throws {ClockError} for an instant in the past or after the year 9999; in mode `host`.
   */
  async advanceTo(instant: number): Promise<number> {
    // Real time may pass the instant while this advance waits for its turn. Only an instant in the past now is wrong.
    checkInstant(instant, this.now())
    return this.#advanceTo(() => instant)
  }

  /** Moves by a span of milliseconds. See {@link advanceTo}. */
  advance(durationMs: number): Promise<number> {
    return this.#advanceTo(() => this.now() + durationMs)
  }

  /** Whether the clock has a waiter, a hold or a participant, which would be lost with it. */
  get inUse(): boolean {
    return this.#waiters.size > 0 || this.auto.inUse
  }

  /** How many responses wait for an instant, or forever. */
  get delayedResponses(): number {
    return this.#waiters.delayedResponses
  }

  /** Whether time is about to move by itself, now or when a client is back. */
  get isMoving(): boolean {
    return this.#mode === 'auto' && this.auto.isMoving(this.now())
  }

  status(): ClockStatus {
    return statusOf({
      mode: this.#mode,
      now: this.now(),
      wallTime: this.#host.now(),
      start: this.#start,
      rate: this.#source.rate,
      auto: this.auto,
      waiters: this.#waiters.list(),
      stall: this.#stall,
      nextStep: this.#nextStep(this.now()),
    })
  }

  /**
   * Wakes sleeping clients, so that none hangs. The wait of a response rejects, and its transport closes the connection.
   */
  close(): void {
    this.#closed = true
    this.#source.follow(0, this.#host)
    this.#mode = 'manual'
    this.auto.close()
    this.agreement.close()
    this.#stall.stop()
    this.#arm()
    this.#waiters.endAll()
  }

  /** Infinity after the end of time: such a wait ends only when the client leaves or the clock closes. */
  #dueIn(durationMs: number): number {
    const instant = this.now() + Math.max(0, Math.round(durationMs))
    return instant > latestInstant ? Infinity : instant
  }

  #assume(what: Assumption, due: number): boolean {
    if (this.#mode !== 'auto' || !this.auto.assumes(what)) return false
    const byMs = due - this.now()
    if (byMs <= 0 || due > latestInstant || this.auto.ledger.isHeldBefore(due)) return true
    if (byMs > this.auto.leftMs) this.#stall.begin('limit', { ofPolls: true })
    else {
      this.auto.countMove(byMs)
      // Judgements subtract poll steps from the waits of a client. They count `Retry-After`, which a user chose to assume.
      if (what === 'poll') this.auto.countPollSteps(byMs)
      this.#waiters.postponeDeadlines(byMs)
      // Waiters that are due wake in order; their code runs after this turn.
      this.#wakeUntil(due)
      this.#source.moveTo(due)
    }
    return true
  }

  /** Runs one advance after the other. `auto` pauses meanwhile. */
  #advanceTo(instant: () => number): Promise<number> {
    const done = this.auto.whileAdvancing()
    return this.#advance.move(instant).finally(() => {
      this.#stall.end()
      this.#manualWait.reset()
      this.#arm()
      done()
    })
  }

  #moveTo(instant: number): void {
    this.#source.moveTo(instant)
    this.auto.agents.tellAll()
  }

  #wakeUntil(instant: number): void {
    let woke = false
    for (let waiter = this.#waiters.takeDue(instant); waiter; waiter = this.#waiters.takeDue(instant)) {
      if (this.#source.rate === 0) this.#source.moveTo(waiter.due)
      waiter.wake()
      woke = true
    }
    if (woke) this.#arm()
  }

  #arm(): void {
    this.#manualWait.check(this.#mode === 'manual' && !this.#closed)
    this.#alarm.set(this.#waiters.next()?.due)
  }

  #waitersChanged(): void {
    this.#arm()
    this.#checkWhenIdle()
  }

  #checkWhenIdle(): void {
    if (this.#mode !== 'auto' || this.#idleCheck) return
    this.#idleCheck = true
    void twoTurns(this.#host).then(() => {
      this.#idleCheck = false
      this.#moveWhenIdle()
    })
  }

  /** Wakes only the next waiter, unless something prevents time from moving. */
  #moveWhenIdle(): void {
    if (this.#mode !== 'auto') return
    if (this.agreement.beginTurn({ isReading: this.auto.reading > 0 })) return
    const next = this.#waiters.next()
    const now = this.now()
    const hold = this.auto.ledger.check(next, now)
    // A process that another one woke by a pipe may be at work, whether a timer is next or nothing seems to be.
    const mustProbe = next !== undefined || hold?.why.outcome === 'deadlock'
    if (mustProbe && hold?.why !== this.agreement.reason && !this.auto.agents.isStable())
      return this.#checkWhenIdle()
    this.#stall.check(hold, this.agreement)
    if (hold) return
    this.auto.countMove(Math.max(0, next!.due - now))
    this.#source.moveTo(next!.due)
    // Tell processes the new time before anything happens at it. If the event is a timer of the only process, one message says both.
    const isOwnTimer = next!.waiting.isTimer && this.auto.agents.size === 1
    if (next!.due > now && this.auto.agents.size > 0 && !isOwnTimer) this.auto.agents.tellAll()
    else this.#waiters.takeDue(next!.due)?.wake()
    this.#checkWhenIdle()
  }
}
