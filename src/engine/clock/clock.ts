import { Absence } from './absence.ts'
import { Alarm } from './timers/alarm.ts'
import { AutoAdvance } from './auto-advance.ts'
import { cannotAdvance, cannotWait, instantFor, liesBehind, rateOf, startOf } from './clock-modes.ts'
import {
  ClockClosed,
  ClockError,
  latestInstant,
  type Assumption,
  type ClockMode,
  type ClockSettings,
  type ClockStatus,
  type ResumedTime,
  type Timing,
} from './clock-settings.ts'
import { statusOf } from './clock-status.ts'
import { hostTimers, type HostTimers } from './timers/host-timers.ts'
import { presentTimers } from './timers/time-source-timers.ts'
import { ManualWait } from './manual-wait.ts'
import { parkedWait } from './parked-wait.ts'
import { TimeSource } from './timers/time-source.ts'
import { Stall } from './stall.ts'
import { twoTurns } from './timers/two-turns.ts'
import { Waiters } from './waiters.ts'
import type { Waiting } from './waiting.ts'

const delayedAnswer: Waiting = { kind: 'answer' }

/**
 * The time of one namespace: whole milliseconds that never go back. Everything that waits, waits here.
 */
export class Clock {
  /** When time may move by itself: holds, participants, what is assumed. */
  readonly auto: AutoAdvance
  readonly #host: HostTimers
  readonly #waiters = new Waiters()
  readonly #pollStepMs: number
  readonly #stall: Stall
  readonly #manualWait: ManualWait
  readonly #absence: Absence
  readonly #start: number
  readonly #present: TimeSource
  readonly #alarm: Alarm
  #mode: ClockMode = 'manual'
  #moving: Promise<unknown> = Promise.resolve()
  #idleCheck = false
  #closed = false

  /** @throws {ClockError} for settings that contradict themselves, and for timers that were faked too early. */
  constructor(settings: ClockSettings, host: HostTimers = hostTimers) {
    this.#host = host
    this.auto = new AutoAdvance(settings, host, () => this.#checkWhenIdle())
    this.#stall = new Stall(host, settings.onStuck)
    this.#manualWait = new ManualWait(host, this.#waiters, () => settings.onManualWait?.(this.status().why))
    const onAbsent = (): void => this.#stall.begin('absent', () => this.status())
    this.#absence = new Absence(host, this.#waiters, settings.requests, onAbsent)
    this.#pollStepMs = settings.pollStepMs ?? 5_000
    this.#start = startOf(settings, host)
    this.#present = new TimeSource(settings.resume?.now ?? this.#start, host, settings.onMove)
    this.#alarm = new Alarm(this.#present, () => this.#ring())
    this.setMode(settings.mode, settings.rate)
  }

  /** The virtual instant, in whole milliseconds since 1970. */
  now(): number {
    return this.#present.now()
  }

  /** By which clock the waits of clients show. */
  get timing(): Timing {
    if (this.#mode === 'real' || this.#mode === 'scaled') return 'wall'
    // In `host` clients and clock go by the same timers, faked or not.
    return this.#mode === 'host' || this.auto.waitedOn ? 'virtual' : 'assumed'
  }

  get mode(): ClockMode {
    return this.#mode
  }

  /** What whoever goes on from here has to know. */
  get past(): ResumedTime & { mode: ClockMode; rate: number } {
    return { mode: this.#mode, rate: this.#present.rate, now: this.now(), ...this.auto.past }
  }

  /**
   * Changes how time moves from here on; the present instant stays.
   * @param mode the new mode.
   * @param rate for `scaled`; left out, a scaled clock keeps its rate.
   * @throws {ClockError} for a mode that doesn't exist, a rate that isn't above 0 or goes with another mode, and where
   * the timers or the `Date` of this process don't allow the mode.
   */
  setMode(mode: ClockMode, rate?: number): void {
    const pace = rateOf(mode, rate, this.#mode === 'scaled' ? this.#present.rate : 1)
    // It may be ahead of a Date that was set back; it follows already.
    if (mode === 'host' && this.#mode === 'host') return
    const now = instantFor(mode, this.now())
    this.#present.follow(pace, mode === 'host' ? presentTimers() : this.#host)
    this.#present.moveTo(now)
    this.#mode = mode
    if (pace !== 0) this.auto.holds.clear()
    this.#stall.over()
    this.#absence.end()
    this.#arm()
    this.#checkWhenIdle()
  }

  /** Wakes everything that is due by now, in order. */
  catchUp(): void {
    if (this.#present.rate !== 0) this.#wakeUntil(this.now())
  }

  /**
   * Parks a client, or whoever plays one: in `auto` this is what moves time, and from now on nothing is
   * assumed of how long clients wait. In `auto` a sleeper that was woken is given a moment to come back before
   * time moves on; a participant, as long as it takes.
   *
   * @param durationMs how long, on this clock.
   * @param options `signal` lets the sleeper leave; `as` names the client, where several sleep and one may join
   * late: without names a newcomer can be taken for somebody who came back. Where participants are counted, a new
   * name takes part from now on.
   * @returns the instant at which the sleeper woke. Rejects with the signal's reason when it leaves.
   */
  async sleep(durationMs: number, options: { signal?: AbortSignal; as?: string } = {}): Promise<number> {
    const { signal, as } = options
    const wake = this.auto.sleeps(as)
    try {
      await this.wait(durationMs, signal, as === undefined ? { kind: 'sleep' } : { kind: 'sleep', name: as })
      if (this.#mode === 'auto') wake.expectBack()
      return this.now()
    } finally {
      wake.over()
    }
  }

  /**
   * Takes no client to sleep on this clock any more, as if nobody ever had, and lets time move as far by itself as in
   * the beginning. Holds and participants stay.
   */
  forgetClients(): void {
    this.auto.forgetClients()
    this.#stall.over()
  }

  /**
   * Parks our own work, such as a delayed answer. In `auto` it moves time too, but says nothing of the client.
   * @param waiting what waits; by default an answer, and with it some participant.
   * @throws {ClockClosed} for an answer, when the clock closes before it is due.
   */
  wait(durationMs: number, signal?: AbortSignal, waiting: Waiting = delayedAnswer): Promise<void> {
    if (this.#closed) return waiting.kind === 'answer' ? Promise.reject(new ClockClosed()) : Promise.resolve()
    const refusal = cannotWait(this.#mode)
    if (refusal) return Promise.reject(refusal)
    const instant = this.now() + Math.max(0, Math.round(durationMs))
    // What lies behind the end of time never comes; only leaving, or closing the clock, ends such a wait.
    const due = instant > latestInstant ? Infinity : instant
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const onOver = waiting.kind === 'work' ? (): void => {} : this.auto.participants.park(waiting.name)
    // Participants race each other to the clock. Where two are due together, their names decide.
    const rank = this.auto.participants.areKnown ? (waiting.name ?? '') : ''
    const onLeave = (): void => this.#waitersChanged()
    const parked = parkedWait(this.#waiters, { due, waiting, rank, signal, onOver, onLeave })
    this.#waitersChanged()
    return parked
  }

  /**
   * In `auto`, and as long as no client has slept on this clock: a client that looks again at a task is taken
   * to have waited the poll step since its last look. Time never moves back, and not at all when the step
   * has already passed.
   * @returns whether this is assumed, be it that time had to move or not: then nobody knows how long it waited.
   */
  assumePollStep(lastLook: number): boolean {
    return this.#assume('poll', lastLook + this.#pollStepMs)
  }

  /**
   * Likewise, where it was asked for, a client that was told when to come again is taken to have waited until then.
   * @returns whether this is assumed.
   */
  assumeRetryAfter(due: number): boolean {
    return this.#assume('retry-after', due)
  }

  /**
   * Moves to an instant, waking sleepers one at a time in order, each at its own moment, and letting each run
   * before the next.
   *
   * @returns the number of waiters woken, once everything due has been applied.
   * @throws {ClockError} when the instant lies in the past, or beyond the year 9999; in mode `host`.
   */
  async advanceTo(instant: number): Promise<number> {
    // Real time may pass the instant while we wait for our turn; only what is past already is a mistake.
    const now = this.now()
    if (instant < now) throw liesBehind(instant, now)
    return this.#inTurn(() => this.#advance(instant))
  }

  /** Moves on by a span of milliseconds. See {@link advanceTo}. */
  advance(durationMs: number): Promise<number> {
    return this.#inTurn(() => this.#advance(this.now() + durationMs))
  }

  /** Whether somebody waits here, holds the clock or takes part, or a request is being read. */
  get inUse(): boolean {
    return this.#waiters.size > 0 || this.auto.inUse
  }

  status(): ClockStatus {
    return statusOf({
      mode: this.#mode,
      now: this.now(),
      wallTime: this.#host.now(),
      start: this.#start,
      rate: this.#present.rate,
      pollStepMs: this.#pollStepMs,
      auto: this.auto,
      waiters: this.#waiters.list(),
      stall: this.#stall,
    })
  }

  /**
   * Releases the host's timer. Sleepers wake, so that no client hangs at the end. A response that is still due never comes:
   * its wait rejects, and its transport closes the connection.
   */
  close(): void {
    this.#closed = true
    this.#present.follow(0, this.#host)
    this.#mode = 'manual'
    this.auto.close()
    this.#absence.end()
    this.#arm()
    this.#waiters.endAll()
  }

  #assume(what: Assumption, due: number): boolean {
    if (this.#mode !== 'auto' || !this.auto.assumes(what)) return false
    const byMs = due - this.now()
    if (byMs <= 0 || due > latestInstant || this.auto.holds.size > 0) return true
    if (byMs > this.auto.leftMs) this.#stall.begin('limit', () => this.status(), { ofPolls: true })
    else {
      this.auto.moved(byMs)
      this.#jump(due)
    }
    return true
  }

  /** One advance after the other; `auto` keeps still meanwhile. */
  #inTurn(move: () => Promise<number>): Promise<number> {
    const refusal = cannotAdvance(this.#mode)
    if (refusal) return Promise.reject(refusal)
    const done = this.auto.whileAdvancing()
    const moved = this.#moving.then(move).finally(() => {
      this.#stall.over()
      done()
    })
    this.#moving = moved.catch(() => {})
    return moved
  }

  async #advance(instant: number): Promise<number> {
    if (!(instant <= latestInstant)) {
      throw new ClockError(
        'Failed to advance the clock: time ends at 9999-12-31T23:59:59Z. Give an instant before that.',
      )
    }
    let woken = 0
    for (let waiter = this.#waiters.takeDue(instant); waiter; waiter = this.#waiters.takeDue(instant)) {
      this.#present.moveTo(waiter.due)
      waiter.wake()
      woken++
      await twoTurns(this.#host)
    }
    this.#present.moveTo(instant)
    this.#manualWait.reset()
    this.#arm()
    await twoTurns(this.#host)
    return woken
  }

  /** Moves within one turn. Those who are passed are woken in order; their code runs when this turn is over. */
  #jump(instant: number): void {
    this.#wakeUntil(instant)
    this.#present.moveTo(instant)
  }

  #wakeUntil(instant: number): void {
    let woke = false
    for (let waiter = this.#waiters.takeDue(instant); waiter; waiter = this.#waiters.takeDue(instant)) {
      if (this.#present.rate === 0) this.#present.moveTo(waiter.due)
      waiter.wake()
      woke = true
    }
    if (woke) this.#arm()
  }

  #ring(): void {
    this.catchUp()
    this.#arm()
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

  /** Wakes the soonest waiter at its instant, and nobody else, unless something keeps time from moving. */
  #moveWhenIdle(): void {
    if (this.#mode !== 'auto') return
    const next = this.#waiters.next()
    const now = this.now()
    const obstacle = this.auto.obstacle(now, next)
    this.#absence.check(obstacle === 'absent' && next !== undefined)
    if (obstacle === 'deadlock' || obstacle === 'limit')
      return this.#stall.begin(obstacle, () => this.status())
    if (obstacle !== undefined) return this.#stall.waitersGone()
    this.#stall.over()
    this.auto.moved(Math.max(0, next!.due - now))
    this.#present.moveTo(next!.due)
    this.#waiters.takeDue(next!.due)?.wake()
    this.#checkWhenIdle()
  }
}
