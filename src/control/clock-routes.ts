import { once } from '../engine/once.ts'
import { ClockControl, unknownHold } from './clock.ts'
import {
  instant,
  instantOf,
  moment,
  type FieldsOf,
  ControlError,
  JsonLater,
  routesFor,
  type ControlRoute,
} from './route.ts'
import { agentProtocol } from '../engine/clock/agents/agent.ts'
import * as z from 'zod/mini'
import { clockModes, servedClockModes, type ClockStatus, type Stuck } from '../engine/clock/clock-settings.ts'
import { participantName } from '../engine/clock/holds/participants.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import { constrain, integer } from '../scenario/schema/json-values.ts'
import { may, must, refusing, named } from '../scenario/schema/fields.ts'
import { duration } from '../scenario/schema/values.ts'

const clockExample = '{"mode": "scaled", "rate": 60}'
const deadlineExample = '{"for": "30s"}, or {"for": "30s", "as": "worker-a"} where several have one'
const sleepExample = '{"for": "5s"}, or {"for": "5s", "as": "worker-a"} where several sleep'
const holdExample = '{"as": "debugger", "for": "30s"}'
const nameExample = '{"as": "worker-a"}'

const as = z
  .string()
  .check(z.regex(participantName, 'must be a name of 1 to 64 letters, digits or . : @ / - _'))
const moved = once(() => ({ now: instant, time: z.string() }))
const timeOf = (now: number) => ({ now, time: new Date(now).toISOString() })

const holdSchema = once(() => z.object({ id: z.string(), name: z.string(), expiresInMs: z.number() }))

const stuckSchema = once(() =>
  z.object({
    outcome: z.enum(['deadlock', 'limit', 'absent', 'outside']),
    why: z.string(),
    waiting: z.array(z.string()),
    forMs: must(z.number(), "In the host's milliseconds."),
  } satisfies FieldsOf<Stuck>),
)

export const clockSchema = once(() =>
  named(
    'Clock',
    z.object({
      mode: z.enum(clockModes),
      now: must(instant, 'Virtual time, in milliseconds since 1970.'),
      time: z.string(),
      wallTime: z.string(),
      rate: z.number(),
      pollStepMs: z.number(),
      assumesPollStep: z.boolean(),
      waiters: integer,
      nextWaiter: z.nullable(z.number()),
      nextEvent: z.nullable(z.number()),
      waiting: z.array(z.string()),
      holds: z.array(holdSchema()),
      participants: z.object({ expected: integer, parked: integer, names: z.array(z.string()) }),
      agents: z.array(z.string()),
      isExact: z.boolean(),
      limitLeftMs: z.number(),
      why: must(z.string(), 'How time moves, or why it is stopped.'),
      stuck: z.nullable(stuckSchema()),
    } satisfies FieldsOf<ClockStatus>),
    'The state of a clock.',
  ),
)

const route = routesFor<ClockControl>()

export const clockRoutes: readonly ControlRoute<ClockControl>[] = [
  route(
    'GET /clock',
    'mode, time, waiters, and why time does not move',
    () => ({ answer: { json: clockSchema() } }),
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
      answer: { json: clockSchema() },
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
      answer: { json: z.object({ ...moved(), wokenCount: integer }) },
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
      answer: { json: z.object(moved()) },
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
      answer: { json: z.object(moved()) },
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
      answer: { json: holdSchema() },
    }),
    (clock, { namespace, body }) => clock.hold(namespace, { name: body.as ?? 'unnamed', ...forMs(body.for) }),
  ),
  route(
    'PUT /clock/hold/{id}',
    'renew a hold: {"for": "30s"}',
    () => ({ body: z.object({ for: z.optional(duration) }), answer: { json: holdSchema() } }),
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
    () => ({ body: z.object({ as }), answer: { json: clockSchema() } }),
    (clock, { namespace, body }) => clock.join(namespace, body.as),
  ),
  route(
    'POST /clock/leave',
    `remove a participant: ${nameExample}`,
    () => ({ body: z.object({ as: z.optional(as) }), answer: { json: clockSchema() } }),
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
