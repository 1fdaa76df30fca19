import { agentProtocol } from '../engine/clock/agents/agents.ts'
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
import type { JsonObject, JsonValue } from '../gateway/bodies/json.ts'
import type { ControlDeps } from './deps.ts'
import {
  ControlError,
  JsonLater,
  readDuration,
  readInstant,
  readText,
  show,
  type ControlRoute,
} from './route.ts'
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

export const clockRoutes: readonly ControlRoute<ClockControl>[] = [
  {
    methods: ['GET'],
    path: '/clock',
    does: 'mode, time, waiters, and why time does not move',
    call: (clock, { namespace }) => clock.status(namespace),
  },
  {
    methods: ['PUT'],
    path: '/clock',
    does: `change the mode: ${clockExample}`,
    call: (clock, { namespace, body }) => {
      const mode = readMode(body)
      const { rate } = body
      if (rate === undefined) return clock.set(namespace, { mode })
      if (typeof rate !== 'number')
        throw new ControlError(400, `"rate" must be a number. Send ${clockExample}.`)
      return clock.set(namespace, { mode, rate })
    },
  },
  {
    methods: ['POST'],
    path: '/clock/advance',
    waits: true,
    does: 'move time: {"by": "30s"}, {"to": ISO date} or {"until": {"task", "status"}}',
    call: (clock, { namespace, body }) => clock.advance(namespace, readAdvance(body)),
  },
  {
    methods: ['POST'],
    path: '/clock/sleep',
    waits: true,
    does: `wait on the clock: ${sleepExample}`,
    call: async (clock, { namespace, body, left }) => {
      const durationMs = readDuration('for', body['for'])
      const as = body['as'] === undefined ? {} : { as: readName(body, sleepExample) }
      const now = await clock.sleep(namespace, durationMs, { ...as, ...(left ? { signal: left() } : {}) })
      return { now, time: new Date(now).toISOString() }
    },
  },
  {
    methods: ['POST'],
    path: '/clock/deadline',
    waits: true,
    does: `open a deadline; the body of the response ends when it has passed: ${deadlineExample}`,
    call: (clock, { namespace, body }) => {
      const durationMs = readDuration('for', body['for'])
      const as = body['as'] === undefined ? {} : { as: readName(body, deadlineExample) }
      const { passed, end } = clock.deadline(namespace, durationMs, as)
      const text = passed.then((now) => JSON.stringify({ now, time: new Date(now).toISOString() }))
      return new JsonLater(text, end)
    },
  },
  {
    methods: ['GET'],
    path: '/clock/agent',
    does: 'the protocol by which processes take part in the clock; CONNECT to this path takes part',
    call: (_clock, { namespace }) => ({ protocol: agentProtocol, namespace }),
  },
  {
    methods: ['POST'],
    path: '/clock/hold',
    does: `pause an auto clock: ${holdExample}`,
    call: (clock, { namespace, body }) => {
      const name = body['as'] === undefined ? 'unnamed' : readName(body, holdExample)
      return clock.hold(namespace, { name, ...readFor(body) })
    },
  },
  {
    methods: ['PUT'],
    path: '/clock/hold/{id}',
    does: 'renew a hold: {"for": "30s"}',
    call: (clock, { namespace, params, body }) => {
      return clock.renewHold(namespace, params['id']!, readFor(body).forMs)
    },
  },
  {
    methods: ['DELETE'],
    path: '/clock/hold/{id}',
    does: 'release a hold',
    call: (clock, { namespace, params }) => {
      if (!clock.releaseHold(namespace, params['id']!)) throw unknownHold(params['id']!)
      return { released: params['id'] }
    },
  },
  {
    methods: ['POST'],
    path: '/clock/join',
    does: `register a participant; time moves only while all of them wait: ${nameExample}`,
    call: (clock, { namespace, body }) => {
      return clock.join(namespace, readName(body, nameExample))
    },
  },
  {
    methods: ['POST'],
    path: '/clock/leave',
    does: `remove a participant: ${nameExample}`,
    call: (clock, { namespace, body }) => {
      return clock.leave(namespace, body['as'] === undefined ? undefined : readName(body, nameExample))
    },
  },
]

function readMode(body: JsonObject): ClockMode {
  const mode = readText('mode', body['mode'], clockExample)
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

/** Exactly one of `by`, `to` and `until`. */
function readAdvance(body: JsonObject): AdvanceTarget {
  const example =
    '{"by": "30s"}, {"to": "2030-01-01T00:05:00Z"} or {"until": {"task": "task_…", "status": "SUCCESS"}}'
  const { by, to, until } = body
  const given = [by, to, until].filter((value) => value !== undefined)
  if (given.length !== 1) throw new ControlError(400, `Give one of "by", "to" and "until". Send ${example}.`)
  if (by !== undefined) return { by: readDuration('by', by) }
  if (to !== undefined) return { to: readInstant('to', to) }
  return { until: readUntil(until!, example) }
}

/** The optional duration `for`. */
function readFor(body: JsonObject): { forMs?: number } {
  return body['for'] === undefined ? {} : { forMs: readDuration('for', body['for']) }
}

/** The name of a sleeper, holder or participant. */
function readName(body: JsonObject, example: string): string {
  const name = readText('as', body['as'], example)
  if (participantName.test(name)) return name
  throw new ControlError(
    400,
    `"as" must be a name of 1 to 64 letters, digits or . : @ / - _, not ${show(name)}. Send ${example}.`,
  )
}

function readUntil(value: JsonValue, example: string): { task: string; status: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlError(400, `"until" must be an object, not ${show(value)}. Send ${example}.`)
  }
  return {
    task: readText('until.task', value['task'], example),
    status: readText('until.status', value['status'], example),
  }
}

function unknownHold(id: string): ControlError {
  return new ControlError(
    404,
    `There is no hold ${JSON.stringify(id.slice(0, 40))}: it was released, or it has expired. ` +
      'GET /_greenroom/clock lists the present ones.',
  )
}
