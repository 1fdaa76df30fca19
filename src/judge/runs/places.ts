import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import { takesBody, writesText, type Role } from '../../engine/operations/facts.ts'
import type { ClientRun } from './client-run.ts'

/** The role of its operation, with result and list as `read`, cancel as `change`, and a streamed text as `stream`. */
export type PlaceKind = Exclude<Role, 'result' | 'cancel' | 'list'>

const groups: Partial<Record<Role, PlaceKind>> = { result: 'read', list: 'read', cancel: 'change' }

/** A request of the baseline run, at which something can be injected. */
export interface InjectionPlace {
  readonly operation: string
  readonly kind: PlaceKind
  /** Its number among the requests of its operation, from 1. */
  readonly nth: number
  /** For a poll: the reported state, and the number among polls with this state. */
  readonly state?: string
  readonly nthOfState?: number
  /** For a poll: whether the task had ended. */
  readonly isFinal: boolean
  /** The states of its tasks, by role; undefined if it has none. */
  readonly states: Lifecycle['roles'] | undefined
  /** For a text: whether it may call tools. */
  readonly canCallTools: boolean
  /** Whether callbacks report its task; for one of them, whether it is signed. */
  readonly hasCallbacks: boolean
  readonly isSigned: boolean
  /** For a submission: whether it has an idempotency key. */
  readonly hasIdempotencyKey: boolean
  /** For a text: whether it calls tools. */
  readonly callsTools: boolean
  /** The name, which similar requests share: `video.poll IN_PROGRESS`, `video.submit first`. */
  readonly name: string
}

/**
 * The places of a run, in order. Of similar requests, only the first is listed. Polls are similar if they report the same
 * state. Others are the first, the last, or one between.
 */
export function findPlaces({
  exchanges,
  operations,
}: Pick<ClientRun, 'exchanges' | 'operations'>): InjectionPlace[] {
  const totals = countBy(exchanges, ({ operation }) => operation ?? '')
  const seen = new Map<string, number>()
  const count = (key: string): number => {
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return nth
  }
  const reported = new Set(exchanges.map(({ role, task }) => (role === 'report' ? task : null)))
  const places = exchanges.flatMap((entry): InjectionPlace[] => {
    const { operation, role, canCallTools = false, toolCalls = [] } = entry
    if (operation === null || role === null) return []
    const nth = count(operation)
    const total = totals.get(operation)!
    const kind = entry.sendsFile ? 'download' : kindOf(role, entry.stream !== null)
    const hasState = role === 'poll' || role === 'report'
    const isFinal = hasState && entry.final
    const states = operations.lifecycleOf(operations.find(operation)?.tasks)?.roles
    const callsTools = toolCalls.length > 0
    const hasCallbacks = entry.task !== null && reported.has(entry.task)
    const isSigned = operations.find(operation)?.isSigned === true
    const hasIdempotencyKey = entry.idempotencyKey !== undefined
    const texts = { canCallTools, callsTools }
    const about = {
      operation,
      kind,
      nth,
      isFinal,
      states,
      ...texts,
      hasCallbacks,
      isSigned,
      hasIdempotencyKey,
    }
    const state = hasState ? entry.reportedStatus : null
    if (state !== null) {
      const nthOfState = count(`${operation} ${state}`)
      const name = `${operation} ${isFinal ? 'done' : state}`
      return [{ ...about, state, nthOfState, name }]
    }
    const part = total === 1 ? '' : nth === 1 ? ' first' : nth === total ? ' last' : ' middle'
    return [{ ...about, name: operation + part }]
  })
  return places.filter(({ name }, index) => places.findIndex((other) => other.name === name) === index)
}

function kindOf(role: Role, isStream: boolean): PlaceKind {
  if (writesText({ role })) return isStream ? 'stream' : 'text'
  return groups[role] ?? (role as PlaceKind)
}

function countBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1)
  return counts
}

/** Whether the gateway offers a list of all tasks of the kind that an operation submits. A list that is requested by IDs tells nothing new. */
export function canListTasks(
  submission: string,
  operations: OperationTable,
  { config = {} }: Scenario = { version: 1 },
): boolean {
  const kind = operations.find(submission)?.tasks
  const lists = operations.where(
    (facts) => facts.role === 'list' && kind !== undefined && facts.tasks === kind && !takesBody(facts),
  )
  return lists.some((name) => {
    const option = operations.find(name)?.option
    const [section = '', key = ''] = option?.split('.') ?? []
    const settings = config[section as keyof typeof config] as Readonly<Record<string, unknown>> | undefined
    return option === undefined || settings?.[key] === true
  })
}
