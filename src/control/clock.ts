import { agentProtocol } from '../engine/clock/agents/agents.ts'
import * as z from 'zod/mini'
import {
  ClockError,
  servedClockModes,
  type ClockMode,
  type ClockStatus,
  type HoldStatus,
} from '../engine/clock/clock-settings.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Deadline } from '../engine/clock/deadlines.ts'
import { participantName } from '../engine/clock/participants.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { reaches } from '../engine/tasks/timeline.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import { constrain, integer } from '../apis/operation-schema.ts'
import { may, must, refusing } from '../scenario/schema/fields.ts'
import { duration } from '../scenario/schema/values.ts'
import type { ControlDeps } from './deps.ts'
import { clock as clockSchema, hold, instant, instantOf, moment } from './openapi/control-values.ts'
import { ControlError, JsonLater, routesFor, type ControlRoute } from './route.ts'
import { findTask } from './tasks.ts'

/** How far to move: by milliseconds, to an instant, or until a task has a status. */
export type AdvanceTarget = { by: number } | { to: number } | { until: { task: string; status: string } }

/**
 * The time after a move.
 *
 * @example
 * const { time, wokenCount }: Advanced = await sim.clock.advance('1m')
 * time // → '2030-01-01T00:01:00.000Z'
 * wokenCount // → 0
 */
export interface Advanced {
  /** In milliseconds since 1970. */
  now: number
  /** `now` as an ISO date. */
  time: string
  /** How many waiters were woken. */
  wokenCount: number
}

/** The clocks of namespaces. */
export class ClockControl {
  readonly #deps: ControlDeps

  constructor(deps: ControlDeps) {
    this.#deps = deps
  }

  now(namespace: string): number {
    return this.#deps.clockOf(namespace).now()
  }

  status(namespace: string): ClockStatus {
    return this.#deps.clockOf(namespace).status()
  }

  /** @throws {ClockError} for an invalid mode or rate. */
  set(namespace: string, { mode, rate }: { mode: ClockMode; rate?: number }): ClockStatus {
    const clock = this.#deps.clockOf(namespace)
    clock.setMode(mode, rate)
    const status = clock.status()
    this.#deps.events.append({ type: 'clock.changed', at: status.now, namespace, mode, rate: status.rate })
    return status
  }

  /**
   * Moves time and returns once everything due has been applied.
   * @throws {ClockError} for the past; {ControlError} for a task that never reaches the status.
   */
  async advance(namespace: string, target: AdvanceTarget): Promise<Advanced> {
    const clock = this.#deps.clockOf(namespace)
    let wokenCount = 0
    if ('by' in target) wokenCount = await clock.advance(target.by)
    else if ('to' in target) wokenCount = await clock.advanceTo(target.to)
    else wokenCount = await this.#advanceUntil(namespace, clock, target.until)
    const now = clock.now()
    return { now, time: new Date(now).toISOString(), wokenCount }
  }

  /** Waits on the clock. */
  sleep(namespace: string, durationMs: number, options?: Parameters<Clock['sleep']>[1]): Promise<number> {
    return this.#deps.clockOf(namespace).sleep(durationMs, options)
  }

  /**
   * Opens a deadline, which moves no time while its owner is at work.
   * @throws {ClockError} in a mode without waits.
   */
  deadline(namespace: string, durationMs: number, { as }: { as?: string } = {}): Deadline {
    return this.#deps.clockOf(namespace).deadline(durationMs, as)
  }

  /**
   * Pauses an `auto` clock until the hold is released or expires, by default after 30 seconds of host time.
   * @throws {ClockError} for too long a time, and in modes in which time passes by itself.
   */
  hold(namespace: string, { name, forMs }: { name: string; forMs?: number }): HoldStatus {
    const { auto, mode } = this.#deps.clockOf(namespace)
    if (mode === 'auto' || mode === 'manual') return auto.holds.take(name, forMs)
    throw new ClockError(
      `Failed to hold the clock: in mode ${mode} time passes whatever is held. Set mode auto or manual first.`,
    )
  }

  /** @throws {ControlError} for a hold that was released or has expired. */
  renewHold(namespace: string, id: string, forMs?: number): HoldStatus {
    const renewed = this.#deps.clockOf(namespace).auto.holds.renew(id, forMs)
    if (renewed) return renewed
    throw unknownHold(id)
  }

  /** @returns whether the hold still existed. */
  releaseHold(namespace: string, id: string): boolean {
    return this.#deps.clockOf(namespace).auto.holds.release(id)
  }

  /**
   * Registers a participant: an `auto` clock moves only while all participants wait.
   * @throws {ClockError} for too many participants.
   */
  join(namespace: string, name: string): ClockStatus {
    const clock = this.#deps.clockOf(namespace)
    clock.auto.participants.join(name)
    return clock.status()
  }

  /** @throws {ClockError} for an unknown participant. */
  leave(namespace: string, name?: string): ClockStatus {
    const clock = this.#deps.clockOf(namespace)
    clock.auto.participants.leave(name)
    return clock.status()
  }

  /** Waiters on the way may change the task, so its timeline is read again after each step. */
  async #advanceUntil(
    namespace: string,
    clock: Clock,
    { task: id, status }: { task: string; status: string },
  ): Promise<number> {
    const { tasks } = this.#deps
    const known = Object.keys(findTask(tasks, namespace, id).lifecycle.states)
    if (!known.includes(status)) {
      throw new ControlError(
        400,
        `There is no status "${status}".${didYouMean(status, known)} Use ${known.join(', ')}.`,
      )
    }
    let wokenCount = 0
    for (;;) {
      const { timeline } = findTask(tasks, namespace, id)
      const instant = reaches(timeline, status)
      if (instant === null) {
        const path = timeline.spans.map(({ state }) => state).join(' → ')
        throw new ControlError(409, `Task ${id} never becomes ${status}: its timeline is ${path}.`)
      }
      const now = clock.now()
      if (instant <= now) return wokenCount
      wokenCount += await clock.advance(instant - now)
    }
  }
}

const clockExample = '{"mode": "scaled", "rate": 60}'
const deadlineExample = '{"for": "30s"}, or {"for": "30s", "as": "worker-a"} where several have one'
const sleepExample = '{"for": "5s"}, or {"for": "5s", "as": "worker-a"} where several sleep'
const holdExample = '{"as": "debugger", "for": "30s"}'
const nameExample = '{"as": "worker-a"}'

const as = z
  .string()
  .check(z.regex(participantName, 'must be a name of 1 to 64 letters, digits or . : @ / - _'))
const moved = { now: instant, time: z.string() }
const timeOf = (now: number) => ({ now, time: new Date(now).toISOString() })

const route = routesFor<ClockControl>()

export const clockRoutes: readonly ControlRoute<ClockControl>[] = [
  route(
    'GET /clock',
    'mode, time, waiters, and why time does not move',
    () => ({ answer: { json: clockSchema } }),
    (clock, { namespace }) => clock.status(namespace),
  ),
  route(
    'PUT /clock',
    `change the mode: ${clockExample}`,
    () => ({
      body: z.object({
        mode: constrain(z.string(), { enum: servedClockModes }),
        rate: may(z.number(), 'Virtual seconds in one of the host.', 60),
      }),
      answer: { json: clockSchema },
    }),
    (clock, { namespace, body: { mode, rate } }) =>
      clock.set(namespace, { mode: findMode(mode), ...(rate !== undefined && { rate }) }),
  ),
  route(
    'POST /clock/advance',
    'move time: {"by": "30s"}, {"to": ISO date} or {"until": {"task", "status"}}',
    () => ({
      body: z
        .object({
          by: may(duration, 'A duration. Give one of the three.', '30s'),
          to: may(moment, 'An ISO date, or milliseconds since 1970.'),
          until: may(z.object({ task: z.string(), status: z.string() }), 'Until a task has a status.'),
        })
        .check(
          refusing((given) =>
            Object.keys(given).length === 1 ? undefined : 'give one of "by", "to" and "until"',
          ),
        ),
      answer: { json: z.object({ ...moved, wokenCount: integer }) },
    }),
    (clock, { namespace, body: { by, to, until } }) =>
      clock.advance(
        namespace,
        by !== undefined
          ? { by: parseDuration(by) }
          : to !== undefined
            ? { to: instantOf(to) }
            : { until: until! },
      ),
    { waits: true },
  ),
  route(
    'POST /clock/sleep',
    `wait on the clock: ${sleepExample}`,
    () => ({
      body: z.object({ for: must(duration, 'A duration.', '5s'), as: z.optional(as) }),
      answer: { json: z.object(moved) },
    }),
    async (clock, { namespace, body, left }) =>
      timeOf(
        await clock.sleep(namespace, parseDuration(body.for), {
          ...(body.as !== undefined && { as: body.as }),
          ...(left && { signal: left() }),
        }),
      ),
    { waits: true },
  ),
  route(
    'POST /clock/deadline',
    `open a deadline; the body of the response ends when it has passed: ${deadlineExample}`,
    () => ({
      body: z.object({ for: must(duration, 'A duration.', '30s'), as: z.optional(as) }),
      answer: { json: z.object(moved) },
    }),
    (clock, { namespace, body }) => {
      const { passed, end } = clock.deadline(
        namespace,
        parseDuration(body.for),
        body.as === undefined ? {} : { as: body.as },
      )
      return new JsonLater(
        passed.then((now) => JSON.stringify(timeOf(now))),
        end,
      )
    },
    { waits: true },
  ),
  route(
    'GET /clock/agent',
    'the protocol by which processes take part in the clock; CONNECT to this path takes part',
    () => ({ answer: { json: z.object({ protocol: integer, namespace: z.string() }) } }),
    (_clock, { namespace }) => ({ protocol: agentProtocol, namespace }),
  ),
  route(
    'POST /clock/hold',
    `pause an auto clock: ${holdExample}`,
    () => ({
      body: z.object({ as: z.optional(as), for: may(duration, 'Default 30 seconds of the host.', '30s') }),
      answer: { json: hold },
    }),
    (clock, { namespace, body }) => clock.hold(namespace, { name: body.as ?? 'unnamed', ...forMs(body.for) }),
  ),
  route(
    'PUT /clock/hold/{id}',
    'renew a hold: {"for": "30s"}',
    () => ({ body: z.object({ for: z.optional(duration) }), answer: { json: hold } }),
    (clock, { namespace, params, body }) => clock.renewHold(namespace, params['id']!, forMs(body.for).forMs),
  ),
  route(
    'DELETE /clock/hold/{id}',
    'release a hold',
    () => ({ answer: { json: z.object({ released: z.string() }) } }),
    (clock, { namespace, params }) => {
      if (!clock.releaseHold(namespace, params['id']!)) throw unknownHold(params['id']!)
      return { released: params['id'] }
    },
  ),
  route(
    'POST /clock/join',
    `register a participant; time moves only while all of them wait: ${nameExample}`,
    () => ({ body: z.object({ as }), answer: { json: clockSchema } }),
    (clock, { namespace, body }) => clock.join(namespace, body.as),
  ),
  route(
    'POST /clock/leave',
    `remove a participant: ${nameExample}`,
    () => ({ body: z.object({ as: z.optional(as) }), answer: { json: clockSchema } }),
    (clock, { namespace, body }) => clock.leave(namespace, body.as),
  ),
]

/** @throws {ControlError} for a mode that the control API can't set. */
function findMode(mode: string): (typeof servedClockModes)[number] {
  const known = servedClockModes.find((each) => each === mode)
  if (known) return known
  if (mode === 'host') {
    throw new ControlError(
      409,
      'Mode host follows the Date of the process that the simulator lives in; set it there: sim.clock.set("host").',
    )
  }
  throw new ControlError(
    400,
    `There is no mode ${JSON.stringify(mode.slice(0, 40))}.${didYouMean(mode, servedClockModes)} Use ${servedClockModes.join(', ')}.`,
  )
}

/** The optional duration `for`. */
function forMs(value: string | number | undefined): { forMs?: number } {
  return value === undefined ? {} : { forMs: parseDuration(value) }
}

function unknownHold(id: string): ControlError {
  return new ControlError(
    404,
    `There is no hold ${JSON.stringify(id.slice(0, 40))}: it was released, or it has expired. ` +
      'GET /_greenroom/clock lists the present ones.',
  )
}
