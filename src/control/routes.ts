import { clockModes, type ClockMode } from '../engine/clock-settings.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import type { JsonObject } from '../gateway/json.ts'
import type { JournalFilter } from '../gateway/journal.ts'
import { ControlError, type Control } from './control.ts'
import { readAdvance, readDuration, readText, requireFields } from './input.ts'

/** One call of the control plane: a method of {@link Control} with an address. */
export interface ControlRoute {
  readonly methods: readonly string[]
  readonly path: string
  /** One line for the index. */
  readonly does: string
  readonly call: (control: Control, call: ControlCall) => unknown
}

export interface ControlCall {
  readonly namespace: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: JsonObject
  /** Aborted when the caller leaves. */
  readonly left: (() => AbortSignal) | undefined
}

export const controlPrefix = '/_greenroom'

const clockExample = '{"mode": "scaled", "rate": 60}'
const sleepExample = '{"for": "5s"}, or {"for": "5s", "as": "worker-a"} where several sleep'
const transitionExample = '{"status": "FAILURE", "reason": "content policy"}'

export const controlRoutes: readonly ControlRoute[] = [
  {
    methods: ['GET'],
    path: `${controlPrefix}/health`,
    does: 'versions, seed, encoder',
    call: (control) => control.health(),
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/clock`,
    does: 'mode, time, waiters',
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
    does: `answer when time has passed: ${sleepExample}`,
    call: async (control, { namespace, body, left }) => {
      requireFields(body, ['for', 'as'], sleepExample)
      const durationMs = readDuration('for', body['for'])
      const as = body['as'] === undefined ? {} : { as: readText('as', body['as'], sleepExample) }
      const options = { ...as, ...(left ? { signal: left() } : {}) }
      const now = await control.sleep(namespace, durationMs, options)
      return { now, time: new Date(now).toISOString() }
    },
  },
  {
    methods: ['GET'],
    path: `${controlPrefix}/tasks`,
    does: 'all tasks, oldest first',
    call: (control, { namespace }) => control.tasks(namespace),
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

function readMode(body: JsonObject): ClockMode {
  const mode = readText('mode', body['mode'], clockExample)
  const known = clockModes.find((each) => each === mode)
  if (known) return known
  throw new ControlError(
    400,
    `There is no mode ${JSON.stringify(mode.slice(0, 40))}.${didYouMean(mode, clockModes)} Use ${clockModes.join(', ')}.`,
  )
}

function cleared(control: Control, namespace: string, what: { journal?: boolean; tasks?: boolean }): unknown {
  control.clear(namespace, what)
  return { cleared: Object.keys(what) }
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
