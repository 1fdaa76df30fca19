import type { ExplainedEntry } from '../../../control/journal.ts'
import type { TaskSummary } from '../../../control/tasks.ts'
import type { ClockStatus } from '../../../engine/clock/clock-settings.ts'
import type { StoredExchange } from '../../../gateway/messages.ts'
import type { Verdict } from '../../verdict.ts'

/** What the page of an HTML report reads from its inline JSON. */
export interface ReportData {
  /** Bumped when an older page would misread it. */
  readonly format: 1
  /** The version that wrote it. */
  readonly greenroom: string
  /** Such as `greenroom run`. */
  readonly title: string
  /** The runs, in the order in which they ran. */
  readonly runs: readonly ReportedRun[]
  /** The number of passed runs that were left out because there were too many. */
  readonly omittedRuns: number
}

/** One run with its verdict, and what happened in it. */
export interface ReportedRun {
  /** The tasks are in the trace. */
  readonly verdict: Omit<Verdict, 'tasks'>
  readonly evidence: readonly Evidence[]
  /** The scenario, and the files that it extends. */
  readonly scenario: readonly ScenarioText[]
  /** Null if it was left out, because the file would have become too large. */
  readonly trace: RunTrace | null
}

/** A request that a result of the verdict names. */
export interface Evidence {
  /** The number of the request. */
  readonly request: number
  /** The path of the result, such as `requests[2]` or `always.one-key`. */
  readonly path: string
  /** What was wrong with it, in a sentence. */
  readonly message: string
  /** Whether the result fails the run; otherwise it is only doubtful. */
  readonly fails: boolean
}

/** A file of a scenario. */
export interface ScenarioText {
  readonly file: string
  readonly text: string
}

/** Everything that happened in a namespace, as the control API describes it. */
export interface RunTrace {
  readonly namespace: string
  /** At the end of the run. */
  readonly clock: ClockStatus
  /** With their futures, oldest first. */
  readonly tasks: readonly TaskSummary[]
  /** With the reasons of their rules, oldest first. */
  readonly entries: readonly ExplainedEntry[]
  /** Headers and bodies of the evidence, and of the latest requests, if the simulator stored them. */
  readonly exchanges: readonly ReportedExchange[]
  /** How many tasks and requests were left out. */
  readonly omitted: { readonly tasks: number; readonly entries: number }
}

/** The headers and bodies of a request and its response, with keys masked. */
export interface ReportedExchange extends StoredExchange {
  /** The number of the request. */
  readonly number: number
}
