import { servedClockModes, type ClockMode } from '../engine/clock/clock-settings.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import type { JsonObject } from '../gateway/bodies/json.ts'
import type { JournalFilter } from '../gateway/journal.ts'
import { ControlError, unknownHold, type Control } from './control.ts'
import { JsonInPieces, JsonLater, type ControlRoute } from './route.ts'
import { ruleRoutes } from './rule-routes.ts'
import { stateRoutes } from './state-routes.ts'
import { readAdvance, readDuration, readFor, readName, readText, requireFields } from './input.ts'

export const controlPrefix = '/_greenroom'

const clockExample = '{"mode": "scaled", "rate": 60}'
const deadlineExample = '{"for": "30s"}, or {"for": "30s", "as": "worker-a"} where several have one'
const sleepExample = '{"for": "5s"}, or {"for": "5s", "as": "worker-a"} where several sleep'
const holdExample = '{"as": "debugger", "for": "30s"}'
const nameExample = '{"as": "worker-a"}'
const transitionExample = '{"status": "FAILURE", "reason": "content policy"}'

export const controlRoutes: readonly ControlRoute[] = [
  ...ruleRoutes(controlPrefix),
  ...stateRoutes(controlPrefix),
  {
    methods: ['GET'],
    path: `${controlPrefix}/health`,
    does: 'versions, seed, encoder',
    call: (control) => control.health(),
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/clock`,
    does: 'mode, time, waiters, and why time does not move',
    call: (control, { namespace }) => control.clock(namespace),
  },
  {
    methods: ['PUT'],
    path: `${controlPrefix}/clock`,
    does: `change the mode: ${clockExample}`,
    call: (control, { namespace, body }) => {
      requireFields(body, ['mode', 'rate'], clockExample)
      const mode = readMode(body)
      const { rate } = body
      if (rate === undefined) return control.setClock(namespace, { mode })
      if (typeof rate !== 'number')
        throw new ControlError(400, `"rate" must be a number. Send ${clockExample}.`)
      return control.setClock(namespace, { mode, rate })
    },
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/clock/advance`,
    does: 'move time: {"by": "30s"}, {"to": ISO date} or {"until": {"task", "status"}}',
    call: (control, { namespace, body }) => control.advance(namespace, readAdvance(body)),
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/clock/sleep`,
    does: `wait on the clock: ${sleepExample}`,
    call: async (control, { namespace, body, left }) => {
      requireFields(body, ['for', 'as'], sleepExample)
      const durationMs = readDuration('for', body['for'])
      const as = body['as'] === undefined ? {} : { as: readName(body, sleepExample) }
      const options = { ...as, ...(left ? { signal: left() } : {}) }
      const now = await control.sleep(namespace, durationMs, options)
      return { now, time: new Date(now).toISOString() }
    },
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/clock/deadline`,
    does: `open a deadline; the body of the response ends when it has passed: ${deadlineExample}`,
    call: (control, { namespace, body }) => {
      requireFields(body, ['for', 'as'], deadlineExample)
      const durationMs = readDuration('for', body['for'])
      const as = body['as'] === undefined ? {} : { as: readName(body, deadlineExample) }
      const { passed, end } = control.deadline(namespace, durationMs, as)
      const text = passed.then((now) => JSON.stringify({ now, time: new Date(now).toISOString() }))
      return new JsonLater(text, end)
    },
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/clock/hold`,
    does: `pause an auto clock: ${holdExample}`,
    call: (control, { namespace, body }) => {
      requireFields(body, ['as', 'for'], holdExample)
      const name = body['as'] === undefined ? 'unnamed' : readName(body, holdExample)
      return control.hold(namespace, { name, ...readFor(body) })
    },
  },
  {
    methods: ['PUT'],
    path: `${controlPrefix}/clock/hold/{id}`,
    does: 'renew a hold: {"for": "30s"}',
    call: (control, { namespace, params, body }) => {
      requireFields(body, ['for'], '{"for": "30s"}')
      return control.renewHold(namespace, params['id']!, readFor(body).forMs)
    },
  },
  {
    methods: ['DELETE'],
    path: `${controlPrefix}/clock/hold/{id}`,
    does: 'release a hold',
    call: (control, { namespace, params }) => {
      if (!control.releaseHold(namespace, params['id']!)) throw unknownHold(params['id']!)
      return { released: params['id'] }
    },
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/clock/join`,
    does: `register a participant; time moves only while all of them wait: ${nameExample}`,
    call: (control, { namespace, body }) => {
      requireFields(body, ['as'], nameExample)
      return control.join(namespace, readName(body, nameExample))
    },
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/clock/leave`,
    does: `remove a participant: ${nameExample}`,
    call: (control, { namespace, body }) => {
      requireFields(body, ['as'], nameExample)
      return control.leave(namespace, body['as'] === undefined ? undefined : readName(body, nameExample))
    },
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/tasks`,
    does: 'the tasks, oldest first; ?last=',
    call: (control, { namespace, query }) => listed(control.eachTask(namespace, readLast(query))),
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/tasks/{id}`,
    does: 'one task with its timeline',
    call: (control, { namespace, params }) => control.task(namespace, params['id']!),
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/tasks/{id}/transition`,
    does: `put a task into a state: ${transitionExample}`,
    call: (control, { namespace, params, body }) => {
      requireFields(body, ['status', 'reason'], transitionExample)
      const status = readText('status', body['status'], transitionExample)
      const { reason } = body
      if (reason === undefined) return control.transition(namespace, params['id']!, { status })
      if (typeof reason !== 'string')
        throw new ControlError(400, `"reason" must be a text. Send ${transitionExample}.`)
      return control.transition(namespace, params['id']!, { status, reason })
    },
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/journal`,
    does: 'exchanges, oldest first; ?operation= ?task= ?status= ?outcome= ?last=',
    call: (control, { namespace, query }) => control.journal(namespace, readFilter(query)),
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/journal/{number}`,
    does: 'one exchange, with the reason for which each rule fired or did not',
    call: (control, { namespace, params }) =>
      control.exchange(namespace, readCount('number', params['number']!)),
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/usage`,
    does: 'tasks, seconds, tokens and money by key',
    call: (control, { namespace }) => control.usage(namespace),
  },
  {
    methods: ['DELETE'],
    path: `${controlPrefix}/journal`,
    does: 'forget the exchanges',
    call: (control, { namespace }) => cleared(control, namespace, { journal: true }),
  },
  {
    methods: ['DELETE'],
    path: `${controlPrefix}/tasks`,
    does: 'forget the tasks',
    call: (control, { namespace }) => cleared(control, namespace, { tasks: true }),
  },
  {
    methods: ['POST'],
    path: `${controlPrefix}/reset`,
    does: 'forget tasks and exchanges',
    call: (control, { namespace }) => cleared(control, namespace, { tasks: true, journal: true }),
  },
]

/** Lists all calls. */
export const indexRoute: ControlRoute = {
  methods: ['GET'],
  path: controlPrefix,
  does: 'list all calls',
  call: () => ({
    greenroom: 'control plane',
    namespaces: 'add ?namespace=NAME, or call under /ns/NAME',
    calls: controlRoutes.map(({ methods, path, does }) => ({ call: `${methods.join(',')} ${path}`, does })),
  }),
}

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

function cleared(control: Control, namespace: string, what: { journal?: boolean; tasks?: boolean }): unknown {
  control.clear(namespace, what)
  return { cleared: Object.keys(what) }
}

/** Longer lists are written in parts. */
const maxListedAtOnce = 200

/** Returns a short list as it is, and a long one in parts. */
function listed(values: Iterable<unknown> & { readonly count: number }): unknown {
  return values.count <= maxListedAtOnce ? [...values] : new JsonInPieces(listText(values))
}

function* listText(values: Iterable<unknown>): Generator<string> {
  let piece: unknown[] = []
  let opening = '['
  for (const value of values) {
    if (piece.push(value) < maxListedAtOnce) continue
    yield opening + JSON.stringify(piece).slice(1, -1)
    opening = ','
    piece = []
  }
  yield piece.length > 0 ? `${opening}${JSON.stringify(piece).slice(1)}` : opening === '[' ? '[]' : ']'
}

function readLast(query: URLSearchParams): { last?: number } {
  const other = [...query.keys()].find((name) => name !== 'last' && name !== 'namespace')
  if (other !== undefined)
    throw new ControlError(400, `Unknown filter "${other.slice(0, 60)}". Use last or namespace.`)
  const last = query.get('last')
  return last === null ? {} : { last: readCount('last', last) }
}

function readFilter(query: URLSearchParams): JournalFilter {
  const filter: JournalFilter = {}
  for (const [name, value] of query) {
    if (name === 'namespace') continue
    if (name === 'operation' || name === 'task' || name === 'outcome') filter[name] = value
    else if (name === 'status' || name === 'last') filter[name] = readCount(name, value)
    else {
      throw new ControlError(
        400,
        `Unknown filter "${name.slice(0, 60)}". Use operation, task, status, outcome, last or namespace.`,
      )
    }
  }
  return filter
}

function readCount(name: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new ControlError(400, `"${name}" must be a whole number, not "${value.slice(0, 60)}".`)
}
