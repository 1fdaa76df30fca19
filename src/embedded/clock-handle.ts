import * as z from 'zod/mini'
import type { ClockMode, ClockStatus } from '../engine/clock/clock-settings.ts'
import { formatDuration, parseDuration } from '../engine/clock/duration.ts'
import type { Advanced } from '../control/clock.ts'
import type { Control } from '../control/control.ts'
import { ControlError } from '../control/route.ts'
import { firstMistake } from '../scenario/schema/mistakes.ts'

/**
 * Time as a test sees it. Durations are texts such as `90s`, or milliseconds.
 *
 * @example
 * const clock: ClockHandle = sim.clock
 * clock.set('manual')
 * const start = clock.now()
 * await clock.advance('1m30s')
 * clock.now() - start // → 90_000
 */
export interface ClockHandle {
  /**
   * The virtual instant, in milliseconds since 1970.
   * @example
   * new Date(sim.clock.now()).toISOString() // → '2030-01-01T00:00:00.000Z'
   */
  now(): number
  /**
   * Moves time on, and resolves when everything due has been applied.
   * @param duration such as `90s` or `1m30s`, or milliseconds.
   * @throws {DurationError} for a duration that can't be read, {ClockError} in mode `host`.
   * @example
   * const task = await client.submitVideo('a red kite [[render 2m]]')
   * await sim.clock.advance('90s')
   * sim.task(task).status // → 'IN_PROGRESS'
   */
  advance(duration: string | number): Promise<Advanced>
  /**
   * Moves time on until a task has a status.
   * @param task its id.
   * @throws {ControlError} for an unknown task, and for one that never gets there.
   * @example
   * const task = await client.submitVideo('a red kite')
   * const { now } = await sim.clock.advanceUntil(task, 'SUCCESS')
   * now === sim.task(task).finishedAt // → true
   */
  advanceUntil(task: string, status: string): Promise<Advanced>
  /**
   * Parks the caller: give it to your client as its `sleep`. In mode `auto` a client that was woken has 25 ms of
   * real time to sleep again before time moves on without it. Where several clients sleep, name each by `as`.
   * @example
   * const client = new MyClient({ fetch: sim.fetch, sleep: sim.clock.sleep })
   * const { status } = await client.makeVideo('a red kite')
   * status // → 'SUCCESS'
   * sim.clock.status().assumesPollStep // → false
   */
  sleep(this: void, duration: string | number, options?: { signal?: AbortSignal; as?: string }): Promise<void>
  /**
   * A deadline on this clock: give its signal to a request in place of `AbortSignal.timeout`. It aborts as that does. In
   * mode `auto` time moves to a deadline, or past it, only while its owner is asleep on the clock or waits for a delayed
   * response. Dispose of it when the request is over. A client with several requests at a time gives each a name of its
   * own: here, and in the header `x-greenroom-as`.
   * @example
   * sim.next('video.submit', { fault: 'hang' })
   * const start = sim.clock.now()
   * using deadline = sim.clock.deadline('30s')
   * const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
   * const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
   * const init = { method: 'POST', headers, body, signal: deadline.signal }
   * await sim.fetch('/v1/video/generations', init).catch((error: Error) => error.name) // → 'TimeoutError'
   * sim.clock.now() - start // → 30_000
   */
  deadline(this: void, duration: string | number, options?: { as?: string }): DeadlineHandle
  /**
   * From now on mode `auto` moves only when this participant is parked too: asleep on the clock, or waiting for an answer.
   * @throws {ClockError} when too many take part.
   * @example
   * using first = sim.clock.join('worker-a')
   * using second = sim.clock.join('worker-b')
   * const start = sim.clock.now()
   * await Promise.all([first.sleep('5s').then(first.leave), second.sleep('8s')])
   * sim.clock.now() - start // → 8_000
   */
  join(name: string): ParticipantHandle
  /**
   * Time no longer waits for this participant; without a name, for one that gave none.
   * @throws {ClockError} when no such participant takes part.
   * @example
   * sim.clock.join('worker-a')
   * sim.clock.leave('worker-a')
   * sim.clock.status().participants.names // → []
   */
  leave(name?: string): void
  /**
   * Keeps mode `auto` from moving time until it is released or expires. Default: 30 seconds of real time.
   * @param name who holds, for `why` in the status of the clock.
   * @throws {ClockError} for more than an hour, and in a mode in which time passes whatever is held.
   * @example
   * using hold = sim.clock.hold('the page is drawn', { for: '10s' })
   * sim.clock.status().why // → '…the page is drawn…'
   */
  hold(name?: string, options?: { for?: string | number }): HoldHandle
  /**
   * Changes how time moves; what it has come to stays.
   * @param rate how many virtual seconds pass in one of the host's, in mode `scaled`.
   * @throws {ClockError} for a mode or rate that can't be.
   * @example
   * sim.clock.set('scaled', 60) // → { mode: 'scaled', rate: 60, … }
   */
  set(mode: ClockMode, rate?: number): ClockStatus
  /**
   * The current time, who waits, and in `why` the reason why time does not move.
   * @example
   * sim.clock.status() // → { mode: 'auto', why: 'auto: nothing waits on the clock; …', … }
   */
  status(): ClockStatus
}

/**
 * One of several that share a clock.
 *
 * @example
 * using worker: ParticipantHandle = sim.clock.join('worker-a')
 * const client = new MyClient({ fetch: sim.fetch, sleep: worker.sleep })
 * const { status } = await client.makeVideo('a red kite')
 * status // → 'SUCCESS'
 */
export interface ParticipantHandle extends Disposable {
  readonly name: string
  /** The clock's `sleep` under this name: what the participant's client is given. */
  readonly sleep: (duration: string | number, options?: { signal?: AbortSignal }) => Promise<void>
  /** The clock's `deadline` under this name. */
  readonly deadline: (duration: string | number) => DeadlineHandle
  /** Time no longer waits for it; doing so twice does nothing. `using` does it by itself. */
  leave(this: void): void
}

/**
 * A deadline on the clock.
 *
 * @example
 * const deadline: DeadlineHandle = sim.clock.deadline('30s')
 * await sim.clock.sleep('10s')
 * deadline.signal.aborted // → false
 * await sim.clock.sleep('21s')
 * deadline.signal.aborted // → true
 */
export interface DeadlineHandle extends Disposable {
  /** The instant at which it passes, in milliseconds since 1970. An assumed wait puts it off. */
  readonly due: number
  /** Aborted with a `TimeoutError` when it passes. */
  readonly signal: AbortSignal
  /** Ends it. Late or twice, it does nothing. `using` does it by itself. */
  end(this: void): void
}

/**
 * Keeps time from moving by itself.
 *
 * @example
 * const hold: HoldHandle = sim.clock.hold('a breakpoint')
 * hold.renew('5m')
 * sim.clock.status().holds // → [{ id: hold.id, name: 'a breakpoint', … }]
 * hold.release()
 */
export interface HoldHandle extends Disposable {
  readonly id: string
  readonly name: string
  /**
   * Extends the hold from now on. Default: 30 seconds of real time.
   * @throws {ControlError} if it was released or has expired.
   */
  renew(duration?: string | number): void
  /** Releases the hold; late or twice, it does nothing. */
  release(this: void): void
}

/**
 * Checks the arguments of callers without a compiler.
 * @param usage a correct call.
 * @throws {ControlError} 400
 */
export function checkArguments(usage: string, shape: z.core.$ZodShape, given: object): void {
  const mistake = firstMistake(z.strictObject(shape), given)
  if (mistake === undefined) return
  const [call] = usage.split('(')
  throw new ControlError(400, `Failed to call ${call}: ${mistake} Write ${usage}.`)
}

const anyName = z.optional(z.string())
/** Not `instanceof`: the signals of polyfills and of other realms have another AbortSignal. */
const isSignal = (value: unknown): boolean =>
  typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function'
export const anySignal = z.optional(z.custom<AbortSignal>(isSignal, 'must be an AbortSignal'))

/** The time of one namespace. */
export function clockHandle(control: Control, namespace: string): ClockHandle {
  const sleep: ClockHandle['sleep'] = async (duration, options = {}) => {
    const known = z.looseObject({ as: anyName, signal: anySignal })
    checkArguments("sim.clock.sleep('5s', { as: 'worker-a', signal })", { options: known }, { options })
    await control.clock.sleep(namespace, parseDuration(duration), options)
  }
  const deadline: ClockHandle['deadline'] = (duration, options = {}) => {
    const known = z.strictObject({ as: anyName })
    checkArguments("sim.clock.deadline('30s', { as: 'worker-a' })", { options: known }, { options })
    const opened = control.clock.deadline(namespace, parseDuration(duration), options)
    const controller = new AbortController()
    const abort = (): void => {
      const message = `The deadline of ${formatDuration(parseDuration(duration))} on the virtual clock has passed.`
      controller.abort(new DOMException(message, 'TimeoutError'))
    }
    opened.passed.then(abort, () => {})
    return {
      get due() {
        return opened.due
      },
      signal: controller.signal,
      end: opened.end,
      [Symbol.dispose]: opened.end,
    }
  }
  return {
    now: () => control.clock.now(namespace),
    advance: (duration) => control.clock.advance(namespace, { by: parseDuration(duration) }),
    advanceUntil: async (task, status) => {
      const known = { task: z.string(), status: z.string() }
      checkArguments("sim.clock.advanceUntil(task, 'SUCCESS')", known, { task, status })
      return control.clock.advance(namespace, { until: { task, status } })
    },
    sleep,
    deadline,
    join: (name) => {
      checkArguments("sim.clock.join('worker-a')", { name: z.string() }, { name })
      control.clock.join(namespace, name)
      let left = false
      const leave = (): void => {
        const takesPart = !left && control.clock.status(namespace).participants.names.includes(name)
        if (takesPart) control.clock.leave(namespace, name)
        left = true
      }
      return {
        name,
        sleep: (duration, options) => sleep(duration, { ...options, as: name }),
        deadline: (duration) => deadline(duration, { as: name }),
        leave,
        [Symbol.dispose]: leave,
      }
    },
    leave: (name) => {
      checkArguments("sim.clock.leave('worker-a')", { name: anyName }, { name })
      control.clock.leave(namespace, name)
    },
    hold: (name = 'unnamed', options = {}) => {
      const known = { name: z.string(), options: z.strictObject({ for: z.optional(z.any()) }) }
      checkArguments("sim.clock.hold('a breakpoint', { for: '10s' })", known, { name, options })
      const { id } = control.clock.hold(namespace, { name, ...spanOf(options.for) })
      const release = (): void => void control.clock.releaseHold(namespace, id)
      return {
        id,
        name,
        renew: (duration) => void control.clock.renewHold(namespace, id, spanOf(duration).forMs),
        release,
        [Symbol.dispose]: release,
      }
    },
    set: (mode, rate) => {
      const known = { mode: z.string(), rate: z.optional(z.number()) }
      checkArguments("sim.clock.set('scaled', 60)", known, { mode, rate })
      return control.clock.set(namespace, rate === undefined ? { mode } : { mode, rate })
    },
    status: () => control.clock.status(namespace),
  }
}

function spanOf(duration: string | number | undefined): { forMs?: number } {
  return duration === undefined ? {} : { forMs: parseDuration(duration) }
}
