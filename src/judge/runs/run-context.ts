import { nameSendingLine } from '../../engine/sending-line.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from './client-run.ts'
import type { ExpectedResult } from './results.ts'
import type { Injection } from './injection.ts'
import { toRuleIds, type Schedule } from './schedules.ts'

/** The kinds of mistakes, worst first. */
export const severities = ['wrong result', 'paid twice', 'hung', 'gave up', 'misbehaved'] as const
export type Severity = (typeof severities)[number]

/** One mistake of a client in one run. */
export interface ClientMistake {
  readonly severity: Severity
  /** The name of its {@link Habit}, in keys. */
  readonly habit: string
  readonly operation: string
  readonly family: string
  /** The details of this run, in one line. */
  readonly detail: string
  /** The number of the request at which the client began to be wrong; missing: at its end. */
  readonly since?: number | undefined
  /** The line of the program that sent the request in question, such as `client.py:42 from client.py:57`; missing if it is unknown. */
  readonly place?: string
}

/** The baseline run, and which parts of it can be compared. */
export interface Baseline {
  readonly run: ClientRun
  /** Whether the results of runs can be compared: those without a fault had the same one, or differed by order only. */
  readonly isComparable: boolean
  /** The result without a fault; missing: that of `run`. */
  readonly expectedResult?: ExpectedResult | undefined
  /** Whether a command ran. It reports a failure only by its exit code. */
  readonly hasExitCode: boolean
  /** What holds in every run. */
  readonly scenario?: Scenario
}

/** A run with all that it is judged by. */
export interface RunContext extends Omit<Baseline, 'run'> {
  readonly schedule: Schedule
  readonly injections: readonly Injection[]
  readonly run: ClientRun
  readonly baselineRun: ClientRun
  readonly expected: Injection['expected']
  readonly isSame: boolean
  /** How many tasks and texts were paid for in addition to those of the baseline run. */
  readonly surplus: number
}

/** The number of the request at which the gateway first did something else than in the baseline run. */
export function firstTrouble(context: RunContext): number | undefined {
  const { run, schedule } = context
  if (schedule.variant) return 0
  const [crash] = run.crashes ?? []
  return hitFirst(context)[0]?.number ?? crash?.before
}

/** The requests that the first injection affected. */
export const hitFirst = ({ run, schedule }: RunContext): JournalEntry[] =>
  hitBy(run, toRuleIds(schedule.parts)[0] ?? '')

/**
 * The line of the program that sent the request in question, and its caller if several share that line. @param since the number of
 * the request at which the client began to be wrong.
 */
export function findSendingLine(context: RunContext, since: number | undefined): string | undefined {
  const { exchanges, ended } = context.run
  const last = exchanges.at(-1)
  const atTrouble = (): JournalEntry | undefined =>
    exchanges.find(({ number }) => number === since) ?? hitFirst(context)[0] ?? last
  // A loop goes on at its last request.
  const lines = (ended === 'endless' ? last : atTrouble())?.place
  if (lines === undefined) return undefined
  const all = [...exchanges, ...context.baselineRun.exchanges]
  return nameSendingLine(
    lines,
    all.flatMap(({ place }) => place ?? []),
  )
}

/** The requests that a rule affected. */
export const hitBy = ({ exchanges }: ClientRun, rule: string): JournalEntry[] =>
  exchanges.filter(({ rules }) => rules.includes(rule))
