import type { ExplainedEntry } from '../../../control/entry-schema.ts'
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
  /** What `greenroom explore` tried and found; the runs are those of its findings. */
  readonly explorations?: readonly ExplorationData[]
}

/** One exploration: the matrix of faults and places, and the findings. */
export interface ExplorationData {
  /** The command, or the name of the client. */
  readonly title: string
  /** In one line: the score, the number of runs, what was not tried. */
  readonly summary: string
  readonly places: readonly { readonly operation: string; readonly detail: string }[]
  readonly rows: readonly {
    readonly family: string
    readonly injection: string
    /** By place; null where the fault can't occur. */
    readonly cells: readonly (ExplorationCell | null)[]
  }[]
  /** What each symbol means. */
  readonly legend: readonly (readonly [symbol: string, state: string])[]
  readonly findings: readonly ExplorationFinding[]
  /** The index of the run in which nothing went wrong. */
  readonly baseline: number
}

export interface ExplorationCell {
  readonly symbol: string
  readonly state: string
  readonly isGood: boolean
  /** The index of the finding that it is part of. */
  readonly finding: number | null
}

export interface ExplorationFinding {
  readonly severity: string
  readonly sentence: string
  readonly advice: string
  /** What the run shows, in one line. */
  readonly detail: string
  /** The fault and its place, and how many schedules show the same. */
  readonly schedule: string
  readonly count: number
  /** `accepted` or `flaky`, if it fails nothing. */
  readonly remark: string | null
  /** The index of its run; null if the search was interrupted. */
  readonly run: number | null
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
