import { shippedOperations } from '../../apis/index.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import { hasBody, writesText, type Role } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'

/** The role of its operation, in few groups; a text that is streamed is a `stream`. */
export type PlaceKind = Exclude<Role, 'result' | 'cancel' | 'list'>

const groups: Partial<Record<Role, PlaceKind>> = { result: 'read', list: 'read', cancel: 'change' }

/** A request of the baseline run, at which something can be injected. */
export interface Place {
  readonly operation: string
  readonly kind: PlaceKind
  /** Its number among the requests of its operation, from 1. */
  readonly nth: number
  /** For a poll: the reported state, and the number among polls with this state. */
  readonly state?: string
  readonly nthOfState?: number
  /** For a poll: whether the task had ended. */
  readonly isFinal: boolean
  /** The name, which similar requests share: `video.poll IN_PROGRESS`, `video.submit first`. */
  readonly name: string
}

/**
 * The places of a run, in order. Of similar requests, only the first is listed. Polls are similar if they report the same
 * state. Others are the first, the last, or one between.
 */
export function findPlaces(exchanges: readonly JournalEntry[]): Place[] {
  const totals = countBy(exchanges, ({ operation }) => operation ?? '')
  const seen = new Map<string, number>()
  const count = (key: string): number => {
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return nth
  }
  const places = exchanges.flatMap((entry): Place[] => {
    const { operation, role } = entry
    if (operation === null || role === null) return []
    const nth = count(operation)
    const total = totals.get(operation)!
    const kind = kindOf(role, entry.stream !== null)
    const isFinal = kind === 'poll' && entry.final
    const state = kind === 'poll' ? entry.reportedStatus : null
    if (state !== null) {
      const nthOfState = count(`${operation} ${state}`)
      const name = `${operation} ${isFinal ? 'done' : state}`
      return [{ operation, kind, nth, state, nthOfState, isFinal, name }]
    }
    const part = total === 1 ? '' : nth === 1 ? ' first' : nth === total ? ' last' : ' middle'
    return [{ operation, kind, nth, isFinal, name: operation + part }]
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
export function canListTasks(submission: string, { config = {} }: Scenario = { version: 1 }): boolean {
  const kind = shippedOperations.taskKindOf(submission)
  const lists = shippedOperations.where(
    (facts) => facts.role === 'list' && kind !== undefined && facts.tasks === kind && !hasBody(facts),
  )
  return lists.some((name) => {
    const option = shippedOperations.find(name)?.option
    const [section = '', key = ''] = option?.split('.') ?? []
    const settings = config[section as keyof typeof config] as Readonly<Record<string, unknown>> | undefined
    return option === undefined || settings?.[key] === true
  })
}
