import {
  ClockError,
  clockModes,
  fixedStart,
  latestInstant,
  type ClockMode,
  type ClockSettings,
  type ClockStatus,
  type Timing,
} from './clock-settings.ts'
import { formatDuration } from './duration.ts'
import { hostTimers, type HostTimers } from './host-timers.ts'
import { SleepingClients } from './sleeping-clients.ts'
import { Waiters } from './waiters.ts'

/** A client that was woken gets this long to come back before time moves on without it. */
const graceMs = 25

/** The longest delay the host's timers take; a longer wait is armed again when it runs out. */
const longestTimerMs = 2 ** 31 - 1

/**
 * The time of one namespace: whole milliseconds that never go back. Everything that waits, waits here.
 */
export class Clock {
  readonly #host: HostTimers
  readonly #waiters = new Waiters()
  readonly #pollStepMs: number
  readonly #onMove: (now: number) => void
  readonly #clients: SleepingClients
  #mode: ClockMode = 'manual'
  #rate = 0
  #anchor: number
  #anchorElapsedMs = 0
  #last: number
  #timer: ReturnType<HostTimers['setTimeout']> | undefined = undefined
  #moving: Promise<unknown> = Promise.resolve()
  #clientSleeps = false
  #busy = 0
  #advancing = 0
  #idleCheck = false
  #closed = false

  constructor(settings: ClockSettings, host: HostTimers = hostTimers) {
    this.#host = host
    this.#onMove = settings.onMove ?? (() => {})
    this.#clients = new SleepingClients(host, graceMs, () => this.#checkWhenIdle())
    this.#pollStepMs = settings.pollStepMs ?? 5_000
    const tiedToHost = settings.mode === 'real' || settings.mode === 'scaled'
    this.#anchor = settings.start ?? (tiedToHost ? Math.floor(host.now() / 1000) * 1000 : fixedStart)
    this.#last = this.#anchor
    this.setMode(settings.mode, settings.rate)
  }

  /** The virtual instant, in whole milliseconds since 1970. */
  now(): number {
    if (this.#rate === 0) return this.#anchor
    const passedMs = (this.#host.elapsedMs() - this.#anchorElapsedMs) * this.#rate
    this.#last = Math.min(latestInstant, Math.max(this.#last, Math.floor(this.#anchor + passedMs)))
    return this.#last
  }

  /** By which clock the waits of clients show. */
  get timing(): Timing {
    if (this.#rate !== 0) return 'wall'
    return this.#clientSleeps ? 'virtual' : 'assumed'
  }

  get mode(): ClockMode {
    return this.#mode
  }

  /**
   * Changes how time moves from here on; the present instant stays.
   * @param mode the new mode.
   * @param rate for `scaled`; left out, a scaled clock keeps its rate.
   * @throws {ClockError} for a mode that doesn't exist, and a rate that isn't above 0 or goes with another mode.
   */
  setMode(mode: ClockMode, rate?: number): void {
    if (!clockModes.includes(mode)) {
      throw new ClockError(`Failed to set the clock: mode is "${mode}". Use one of ${clockModes.join(', ')}.`)
    }
    if (rate !== undefined && mode !== 'scaled') {
      throw new ClockError(
        `Failed to set the clock: a rate goes with mode scaled, not with ${mode}. Leave one out.`,
      )
    }
    const scale = rate ?? (this.#mode === 'scaled' ? this.#rate : 1)
    if (!(scale > 0 && scale <= 1e6)) {
      throw new ClockError(
        `Failed to set the clock: rate is ${rate}. Use a number above 0 and up to 1000000.`,
      )
    }
    this.#stand(this.now())
    this.#mode = mode
    this.#rate = mode === 'real' ? 1 : mode === 'scaled' ? scale : 0
    this.#arm()
    this.#checkWhenIdle()
  }

  /** Wakes everything that is due by now, in order. */
  catchUp(): void {
    if (this.#rate !== 0) this.#wakeUntil(this.now())
  }

  /**
   * Parks a client, or whoever plays one: in `auto` this is what moves time, and from now on nothing is
   * assumed of how long clients wait. In `auto` a sleeper that was woken is given a moment to come back before
   * time moves on.
   *
   * @param durationMs how long, on this clock.
   * @param options `signal` lets the sleeper leave; `as` names the client, where several sleep and one may join
   * late: without names a newcomer can be taken for somebody who came back.
   * @returns the instant at which the sleeper woke. Rejects with the signal's reason when it leaves.
   */
  async sleep(durationMs: number, options: { signal?: AbortSignal; as?: string } = {}): Promise<number> {
    this.#clientSleeps = true
    const wake = this.#clients.arrive(options.as)
    try {
      await this.wait(durationMs, options.signal)
      if (this.#mode === 'auto') wake.expectBack()
      return this.now()
    } finally {
      wake.over()
    }
  }

  /** Takes no client to sleep on this clock any more, as if nobody ever had. */
  forgetClients(): void {
    this.#clientSleeps = false
    this.#clients.forget()
  }

  /** Parks our own work, such as a delayed answer. In `auto` it moves time too, but says nothing of the client. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#closed) return Promise.resolve()
    const instant = this.now() + Math.max(0, Math.round(durationMs))
    // What lies behind the end of time never comes; only leaving, or closing the clock, ends such a wait.
    const due = instant > latestInstant ? Infinity : instant
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const leave = (): void => {
        remove()
        this.#arm()
        this.#checkWhenIdle()
        reject(signal!.reason as Error)
      }
      const remove = this.#waiters.add(due, () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      })
      signal?.addEventListener('abort', leave, { once: true })
      this.#arm()
      this.#checkWhenIdle()
    })
  }

  /**
   * In `auto`, and as long as no client has slept on this clock: a client that looks again at a task is taken
   * to have waited the poll step since its last look. Time never moves back, and not at all when the step
   * has already passed.
   */
  assumePollStep(lastLook: number): void {
    if (!this.#assumesPollStep()) return
    const due = lastLook + this.#pollStepMs
    if (due > this.now() && due <= latestInstant) this.#jump(due)
  }

  /**
   * Moves to an instant, waking sleepers one at a time in order, each at its own moment, and letting each run
   * before the next.
   *
   * @returns the number of waiters woken, once everything due has been applied.
   * @throws {ClockError} when the instant lies in the past, or beyond the year 9999.
   */
  async advanceTo(instant: number): Promise<number> {
    // Real time may pass the instant while we wait for our turn; only what is past already is a mistake.
    const behindMs = this.now() - instant
    if (behindMs > 0) {
      throw new ClockError(
        `Failed to advance the clock: the instant lies ${formatDuration(behindMs)} in the past. ` +
          `Time only moves forward; now is ${new Date(this.now()).toISOString()}.`,
      )
    }
    return this.#inTurn(() => this.#advance(instant))
  }

  /** Moves on by a span of milliseconds. See {@link advanceTo}. */
  advance(durationMs: number): Promise<number> {
    return this.#inTurn(() => this.#advance(this.now() + durationMs))
  }

  /** Keeps `auto` from moving on while a request is being read. Call the result exactly once. */
  hold(): () => void {
    this.#busy++
    return () => {
      this.#busy--
      this.#checkWhenIdle()
    }
  }

  /** Whether somebody waits here, or a request is being read. */
  get inUse(): boolean {
    return this.#busy > 0 || this.#waiters.size > 0
  }

  status(): ClockStatus {
    const now = this.now()
    const next = this.#waiters.next()?.due ?? Infinity
    return {
      mode: this.#mode,
      now,
      time: new Date(now).toISOString(),
      rate: this.#rate,
      pollStepMs: this.#pollStepMs,
      assumesPollStep: this.#assumesPollStep(),
      waiters: this.#waiters.size,
      nextWaiter: next === Infinity ? null : next,
    }
  }

  /** Lets go of the host's timer. Whoever still waits, or comes to, is woken, so that nothing hangs at the end. */
  close(): void {
    this.#closed = true
    this.#rate = 0
    this.#mode = 'manual'
    this.#clients.forget()
    this.#arm()
    for (let waiter = this.#waiters.takeDue(Infinity); waiter; waiter = this.#waiters.takeDue(Infinity)) {
      waiter.wake()
    }
  }

  #assumesPollStep(): boolean {
    return this.#mode === 'auto' && !this.#clientSleeps
  }

  /** One advance after the other; `auto` keeps still meanwhile. */
  #inTurn(move: () => Promise<number>): Promise<number> {
    this.#advancing++
    const moved = this.#moving.then(move).finally(() => {
      this.#advancing--
      this.#checkWhenIdle()
    })
    this.#moving = moved.catch(() => {})
    return moved
  }

  async #advance(instant: number): Promise<number> {
    if (!(instant <= latestInstant)) {
      throw new ClockError(
        `Failed to advance the clock: ${instant} is not an instant before the year 10000. Give a nearer one.`,
      )
    }
    let woken = 0
    for (let waiter = this.#waiters.takeDue(instant); waiter; waiter = this.#waiters.takeDue(instant)) {
      this.#stand(Math.max(this.now(), waiter.due))
      waiter.wake()
      woken++
      await this.#settle()
    }
    this.#stand(Math.max(this.now(), instant))
    this.#arm()
    await this.#settle()
    return woken
  }

  /** Moves within one turn. Those who are passed are woken in order; their code runs when this turn is over. */
  #jump(instant: number): void {
    this.#wakeUntil(instant)
    this.#stand(Math.max(this.now(), instant))
  }

  #wakeUntil(instant: number): void {
    let woke = false
    for (let waiter = this.#waiters.takeDue(instant); waiter; waiter = this.#waiters.takeDue(instant)) {
      if (this.#rate === 0) this.#stand(Math.max(this.now(), waiter.due))
      waiter.wake()
      woke = true
    }
    if (woke) this.#arm()
  }

  #stand(instant: number): void {
    if (instant !== this.#last) this.#onMove(instant)
    this.#anchor = instant
    this.#last = instant
    this.#anchorElapsedMs = this.#host.elapsedMs()
  }

  /** Two turns of the event loop: enough for woken code to answer and for its answer to reach the socket. */
  #settle(): Promise<void> {
    return new Promise((resolve) => {
      this.#host.setImmediate(() => this.#host.setImmediate(resolve))
    })
  }

  /** In real time the host's timer is set for the soonest waiter, and only then. */
  #arm(): void {
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
    const next = this.#waiters.next()
    if (this.#rate === 0 || !next || next.due === Infinity) return
    const delayMs = Math.min(Math.max(0, Math.ceil((next.due - this.now()) / this.#rate)), longestTimerMs)
    this.#timer = this.#host.setTimeout(() => {
      this.#timer = undefined
      this.catchUp()
      this.#arm()
    }, delayMs)
  }

  #checkWhenIdle(): void {
    if (this.#mode !== 'auto' || this.#idleCheck) return
    this.#idleCheck = true
    void this.#settle().then(() => {
      this.#idleCheck = false
      this.#moveWhenIdle()
    })
  }

  /**
   * The rule of `auto`: nobody is being admitted, nobody moves the clock by hand, nobody woken is still on the
   * way back, and somebody waits.
   */
  #moveWhenIdle(): void {
    const next = this.#waiters.next()
    const occupied = this.#busy > 0 || this.#advancing > 0 || this.#clients.expected > 0
    if (this.#mode !== 'auto' || occupied || !next || next.due === Infinity) return
    this.#stand(Math.max(this.now(), next.due))
    this.#waiters.takeDue(next.due)?.wake()
    this.#checkWhenIdle()
  }
}
