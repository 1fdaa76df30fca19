import type { Expect } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from '../runs/client-run.ts'
import type { RunContext, Severity } from '../runs/run-context.ts'
import type { HowTo } from './how-to.ts'
import type { Base, Schedule, ScheduledInjection } from '../runs/schedules.ts'

/**
 * The questions about a run, in order. Of the habits that answer one question, a run shows only the one with the lowest rank:
 * it names the mistake most exactly.
 */
export const causes = ['end', 'result', 'payment', 'survival'] as const

/** What a finding is about, for its sentence. */
export interface Subject {
  readonly operations: readonly string[]
  readonly families: readonly string[]
}

/** Runs that show a habit: the operation of each, and its schedule. */
export type Occurrences = readonly { readonly operation: string; readonly schedule: Schedule }[]

/** Where a corrected client is to be distinguished from one with the habit. */
export interface ExpectedPlace {
  readonly schedule: Schedule
  readonly part: ScheduledInjection | undefined
  readonly op: string | undefined
  readonly baseline: ClientRun
  readonly base: Base
  /** Whether the gateway fails for good, so that a good client fails, too, or may. */
  readonly mustFail: boolean
  readonly mayFail: boolean
  readonly allow: NonNullable<Expect['allow']>
}

/** A mistake of clients: how a run shows it, what to say of it, and how a scenario tells it from a good client. */
export interface Habit {
  /** Its name in keys and reports. */
  readonly name: string
  /** What it costs, and its symbol in the matrix. */
  readonly severity: Severity | ((context: RunContext) => Severity)
  /** The question that it answers; missing: it stands by itself. */
  readonly cause?: (typeof causes)[number]
  /** Its place among the habits of one cause. */
  readonly rank: number
  /** Whether the run without a fault shows it. Default: only runs with a fault do. */
  readonly seenIn?: 'baseline' | 'every run'
  /** The details, if the run shows it. */
  readonly detects: (context: RunContext) => string | undefined
  /**
   * The number of the request at which the client begins to be wrong. The earliest habit of a run is its cause, and others follow
   * from it. Default: the request with the fault, since the client reacts to that; `undefined`: the end of the run.
   */
  readonly since?: (context: RunContext) => number | undefined
  /** Whether a failed expectation of its scenario shows it. Default: each does. */
  readonly isProvenBy?: (path: string) => boolean
  readonly says: (subject: Subject) => string
  readonly advice: string | ((schedule: Schedule, occurrences: Occurrences) => string)
  /** How to follow the advice in the language of the program. */
  readonly howTo?: HowTo
  /** Whether it is a separate mistake for each operation, or for those with only these families. Default: one for all. */
  readonly isPerOperation?: true | ((families: readonly string[]) => boolean)
  /** Whether it is a separate mistake for each of these families. Default: one for all. */
  readonly isPerFamily?: (families: readonly string[]) => boolean
  /** Whether worse can follow from it, although it is bad manners. */
  readonly canCause?: true
  /** Whether the operation with the fault does not matter. */
  readonly isOverall?: true
  /** Whether only the file that the client has shows it. */
  readonly isAboutFile?: true
  /** What a corrected client does; undefined if a scenario can't tell it from the mistake. */
  readonly expects: (place: ExpectedPlace) => Expect | undefined
}

const about = ({ families }: Subject): string => families.join(', ')

/** Where a mistake occurs. A variant of the gateway has no operation, but its name says it. */
function where({ operations, families }: Subject): string {
  const known = operations.filter((each) => each !== 'any')
  return (known.length > 0 ? known : families).join(', ')
}

export { about, where }
