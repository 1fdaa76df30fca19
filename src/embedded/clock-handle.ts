import * as z from 'zod/mini'
import type { ClockMode, ClockStatus } from '../engine/clock/clock-settings.ts'
import { formatDuration, parseDuration } from '../engine/clock/duration.ts'
import type { Advanced } from '../control/clock.ts'
import type { Control } from '../control/control.ts'
import { ControlError } from '../control/route.ts'
import { firstMistake } from '../scenario/schema/mistakes.ts'

/**
 * The clock of a namespace. Durations are texts such as `90s`, or milliseconds.
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
   * Advances time. Resolves when everything that is due has happened.
   * @param duration such as `90s` or `1m30s`, or milliseconds.
   * @throws {DurationError} for an invalid duration; `ClockError` in mode `host`.
   * @example
   * const task = await client.submitVideo('a red kite [[render 2m]]')
   * await sim.clock.advance('90s')
   * sim.task(task).status // → 'IN_PROGRESS'
   */
  advance(duration: string | number): Promise<Advanced>
  /**
   * Advances time until a task has a status.
   * @param task its id.
   * @throws {ControlError} for an unknown task, and for one that never reaches the status.
   * @example
   * const task = await client.submitVideo('a red kite')
   * const { now } = await sim.clock.advanceUntil(task, 'SUCCESS')
   * now === sim.task(task).finishedAt // → true
   */
  advanceUntil(task: string, status: string): Promise<Advanced>
  /**
   * Parks the caller. Pass it to your client as its `sleep`. In mode `auto`, time waits 25 ms of real time for a woken
   * client to sleep again. If several clients sleep, name each with `as`.
   * @param options a signal that ends the sleep, alone or with the name of the client.
   * @example
   * const client = new MyClient({ fetch: sim.fetch, sleep: sim.clock.sleep })
   * const { status } = await client.makeVideo('a red kite')
   * status // → 'SUCCESS'
   * sim.clock.status().assumesPollStep // → false
   */
  sleep(
    this: void,
    duration: string | number,
    options?: { signal?: AbortSignal; as?: string } | AbortSignal,
  ): Promise<void>
  /**
   * Creates a deadline on this clock. Pass its signal to a request in place of `AbortSignal.timeout`; it aborts in the same
   * way. In mode `auto`, time reaches a deadline only while its owner sleeps on the clock or waits for a delayed response.
   * Dispose of the deadline when the request is over. A client with several requests at a time names each request: here,
   * and in the header `x-greenroom-as`.
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
   * Adds a participant. From now on, mode `auto` moves time only when it is parked too: asleep on the clock, or waiting for
   * a response.
   * @throws {ClockError} when there are too many participants.
   * @example
   * using first = sim.clock.join('worker-a')
   * using second = sim.clock.join('worker-b')
   * const start = sim.clock.now()
   * await Promise.all([first.sleep('5s').then(first.leave), second.sleep('8s')])
   * sim.clock.now() - start // → 8_000
   */
  join(name: string): ParticipantHandle
  /**
   * Removes a participant, so time no longer waits for it. Without a name, removes one that gave no name.
   * @throws {ClockError} for an unknown participant.
   * @example
   * sim.clock.join('worker-a')
   * sim.clock.leave('worker-a')
   * sim.clock.status().participants.names // → []
   */
  leave(name?: string): void
  /**
   * Stops time in mode `auto` until the hold is released or expires. Default: 30 seconds of real time.
   * @param name the holder, for `why` in the status of the clock.
   * @throws {ClockError} for more than an hour, and in a mode that a hold can't stop.
   * @example
   * using hold = sim.clock.hold('the page is drawn', { for: '10s' })
   * sim.clock.status().why // → '…the page is drawn…'
   */
  hold(name?: string, options?: { for?: string | number }): HoldHandle
  /**
   * Changes how time moves. The present instant stays.
   * @param rate in mode `scaled`, virtual seconds per second of the host.
   * @throws {ClockError} for an invalid mode or rate.
   * @example
   * sim.clock.set('scaled', 60) // → { mode: 'scaled', rate: 60, … }
   */
  set(mode: ClockMode, rate?: number): ClockStatus
  /**
   * The current time, the waiters and, in `why`, the reason why time does not move.
   * @example
   * sim.clock.status() // → { mode: 'auto', why: 'auto: nothing waits on the clock; …', … }
   */
  status(): ClockStatus
}

/**
 * One of several participants that share a clock.
 *
 * @example
 * using worker: ParticipantHandle = sim.clock.join('worker-a')
 * const client = new MyClient({ fetch: sim.fetch, sleep: worker.sleep })
 * const { status } = await client.makeVideo('a red kite')
 * status // → 'SUCCESS'
 */
export interface ParticipantHandle extends Disposable {
  readonly name: string
  /** The clock's `sleep` under this name, for the participant's client. */
  readonly sleep: (
    duration: string | number,
    options?: { signal?: AbortSignal } | AbortSignal,
  ) => Promise<void>
  /** The clock's `deadline` under this name. */
  readonly deadline: (duration: string | number) => DeadlineHandle
  /** Removes the participant. A second call does nothing. `using` calls it. */
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
  /** The instant at which it passes, in milliseconds since 1970. An assumed wait postpones it. */
  readonly due: number
  /** Aborted with a `TimeoutError` when it passes. */
  readonly signal: AbortSignal
  /** Ends the deadline. Later calls do nothing. `using` calls it. */
  end(this: void): void
}

/**
 * A hold on the clock. It stops time in mode `auto`.
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
   * Extends the hold by a duration from now, 30 seconds of real time by default.
   * @throws {ControlError} if it was released or has expired.
   */
  renew(duration?: string | number): void
  /** Releases the hold. Later calls do nothing. */
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
/** Not `instanceof`: polyfills and other realms have an AbortSignal class of their own. */
const isSignal = (value: unknown): boolean =>
  typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function'
export const anySignal = z.optional(z.custom<AbortSignal>(isSignal, 'must be an AbortSignal'))

/** The options of a sleep. Many clients call `sleep(ms, signal)`. */
export function optionsOfSleep<Options extends object>(
  given: Options | AbortSignal,
): Options | { readonly signal: AbortSignal } {
  return isSignal(given) ? { signal: given as AbortSignal } : (given as Options)
}

/** Creates the handle for the clock of one namespace. */
export function clockHandle(control: Control, namespace: string): ClockHandle {
  const sleep: ClockHandle['sleep'] = async (duration, given = {}) => {
    const options: { signal?: AbortSignal; as?: string } = optionsOfSleep(given)
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
        sleep: (duration, options = {}) => sleep(duration, { ...optionsOfSleep(options), as: name }),
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
