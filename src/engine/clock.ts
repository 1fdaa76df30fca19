import { formatDuration } from './duration.ts'
import { hostTimers, type HostTimers } from './host-timers.ts'
import { Waiters } from './waiters.ts'

/**
 * - `real`: the host's pace.
 * - `scaled`: `rate` times the host's pace.
 * - `manual`: moves only when told.
 * - `auto`: moves on by itself when nothing else can happen: to the next waiter, or at a poll by the poll step.
 */
export const clockModes = ['real', 'scaled', 'manual', 'auto'] as const
export type ClockMode = (typeof clockModes)[number]

export interface ClockSettings {
  mode: ClockMode
  /** How many virtual seconds pass in one of the host's, in mode `scaled`. */
  rate?: number
  /** The first instant, in milliseconds since 1970. */
  start?: number
  /** In mode `auto`: how long a client is taken to wait between two looks at the same task. */
  pollStepMs?: number
}

/** What the control plane tells of a clock. */
export interface ClockStatus {
  mode: ClockMode
  now: number
  /** `now` as an ISO date. */
  time: string
  rate: number
  pollStepMs: number
  /** Whether polls still move the clock by the poll step. */
  assumesPollStep: boolean
  waiters: number
  /** When the soonest waiter is due, or null. */
  nextWaiter: number | null
}

/** Something was asked of a clock that it can't do. The message says what to do instead. */
export class ClockError extends Error {
  override name = 'ClockError'
}

/** Where time starts unless it is tied to the host's: a fixed instant keeps tests the same every day. */
export const fixedStart = Date.UTC(2030, 0, 1)

/** A client that was woken over HTTP gets this long to come back before time moves on without it. */
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
  #mode: ClockMode = 'manual'
  #rate = 0
  #anchor: number
  #anchorElapsedMs = 0
  #last: number
  #timer: ReturnType<HostTimers['setTimeout']> | undefined = undefined
  #moving: Promise<unknown> = Promise.resolve()
  #clientSleeps = false
  #busy = 0
  /** Those who were woken over HTTP and are on their way back. */
  readonly #expected: ReturnType<HostTimers['setTimeout']>[] = []
  #idleCheck = false

  constructor(settings: ClockSettings, host: HostTimers = hostTimers) {
    this.#host = host
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
    this.#last = Math.max(this.#last, Math.floor(this.#anchor + passedMs))
    return this.#last
  }

  get mode(): ClockMode {
    return this.#mode
  }

  /**
   * Changes how time moves from here on; the present instant stays.
   * @throws {ClockError} for a mode that doesn't exist or a rate that isn't above 0.
   */
  setMode(mode: ClockMode, rate = 1): void {
    if (!clockModes.includes(mode)) {
      throw new ClockError(`Failed to set the clock: mode is "${mode}". Use one of ${clockModes.join(', ')}.`)
    }
    if (mode === 'scaled' && !(Number.isFinite(rate) && rate > 0 && rate <= 1e6)) {
      throw new ClockError(
        `Failed to set the clock: rate is ${rate}. Use a number above 0 and up to 1000000.`,
      )
    }
    this.#stand(this.now())
    this.#mode = mode
    this.#rate = mode === 'real' ? 1 : mode === 'scaled' ? rate : 0
    this.#arm()
    this.#checkWhenIdle()
  }

  /** Wakes everything that is due by now, in order. */
  catchUp(): void {
    if (this.#rate !== 0) this.#wakeUntil(this.now())
  }

  /**
   * Parks a client, or whoever plays one: in `auto` this is what moves time, and from now on nothing is
   * assumed of how long clients wait.
   *
   * @param durationMs how long, on this clock.
   * @param options `signal` lets the sleeper leave; `remote` says that it needs a moment to come back.
   * @returns the instant at which the sleeper woke. Rejects with the signal's reason when it leaves.
   */
  async sleep(durationMs: number, options: { signal?: AbortSignal; remote?: boolean } = {}): Promise<number> {
    this.#clientSleeps = true
    this.#host.clearTimeout(this.#expected.shift())
    await this.wait(durationMs, options.signal)
    if (options.remote) this.#expectBack()
    return this.now()
  }

  /** Parks our own work, such as a delayed answer. In `auto` it moves time too, but says nothing of the client. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void> {
    const due = this.now() + Math.max(0, Math.round(durationMs))
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
    if (due > this.now()) this.#jump(due)
  }

  /**
   * Moves to an instant, waking sleepers one at a time in order, each at its own moment, and letting each run
   * before the next.
   *
   * @returns the number of waiters woken, once everything due has been applied.
   * @throws {ClockError} when the instant lies in the past.
   */
  advanceTo(instant: number): Promise<number> {
    const move = this.#moving.then(() => this.#advance(instant))
    this.#moving = move.catch(() => {})
    return move
  }

  /** Moves on by a span of milliseconds. See {@link advanceTo}. */
  advance(durationMs: number): Promise<number> {
    const move = this.#moving.then(() => this.#advance(this.now() + durationMs))
    this.#moving = move.catch(() => {})
    return move
  }

  /** Keeps `auto` from moving on while a request is being read. Call the result exactly once. */
  hold(): () => void {
    this.#busy++
    return () => {
      this.#busy--
      this.#checkWhenIdle()
    }
  }

  status(): ClockStatus {
    const now = this.now()
    return {
      mode: this.#mode,
      now,
      time: new Date(now).toISOString(),
      rate: this.#rate,
      pollStepMs: this.#pollStepMs,
      assumesPollStep: this.#assumesPollStep(),
      waiters: this.#waiters.size,
      nextWaiter: this.#waiters.next()?.due ?? null,
    }
  }

  /** Lets go of the host's timer. Whoever still waits is woken, so that nothing hangs at the end. */
  close(): void {
    this.#rate = 0
    this.#mode = 'manual'
    this.#arm()
    for (let waiter = this.#waiters.takeDue(Infinity); waiter; waiter = this.#waiters.takeDue(Infinity)) {
      waiter.wake()
    }
  }

  #assumesPollStep(): boolean {
    return this.#mode === 'auto' && !this.#clientSleeps
  }

  async #advance(instant: number): Promise<number> {
    if (!Number.isFinite(instant)) {
      throw new ClockError(`Failed to advance the clock: ${instant} is not an instant. Give milliseconds.`)
    }
    const behindMs = this.now() - instant
    if (behindMs > 0) {
      throw new ClockError(
        `Failed to advance the clock: the instant lies ${formatDuration(behindMs)} in the past. ` +
          `Time only moves forward; now is ${new Date(this.now()).toISOString()}.`,
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
    if (this.#rate === 0 || !next) return
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

  /** The rule of `auto`: nobody is being admitted, nobody woken is still on the way, and somebody waits. */
  #moveWhenIdle(): void {
    const next = this.#waiters.next()
    if (this.#mode !== 'auto' || this.#busy > 0 || this.#expected.length > 0 || !next) return
    this.#stand(Math.max(this.now(), next.due))
    this.#waiters.takeDue(next.due)?.wake()
    this.#checkWhenIdle()
  }

  #expectBack(): void {
    if (this.#mode !== 'auto') return
    const timer = this.#host.setTimeout(() => {
      this.#expected.splice(this.#expected.indexOf(timer), 1)
      this.#checkWhenIdle()
    }, graceMs)
    this.#expected.push(timer)
  }
}
