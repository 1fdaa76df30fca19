import type { TaskSummary } from '../../control/tasks.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { JournalEntry, SentRequest } from '../../gateway/journal.ts'
import type { RuleCount } from '../../scenario/rules/rules.ts'
import type { ClientEnd, InvariantReport } from '../invariants/invariant.ts'
import type { Result } from '../verdict.ts'
import type { WatchedTask, WatchedTasks } from '../watched-tasks.ts'

/** The finding of a check. */
export type ExpectationFinding = Pick<
  Result,
  'verdict' | 'expected' | 'actual' | 'requests' | 'doubtful' | 'hint'
>

/** Judges one expectation. It counts as the journal grows, in bounded memory. */
export interface Check {
  /** @param sent returns the client's request; missing if it was sent before the watch. */
  admitted?(entry: JournalEntry, task: WatchedTask | undefined, sent?: () => SentRequest): void
  settled?(entry: JournalEntry, task: WatchedTask | undefined): void
  /** Records a webhook that was sent, or could not be sent. */
  notified?(entry: JournalEntry, task: WatchedTask | undefined): void
  judge(run: RunState): ExpectationFinding
  /** The instant until which the run must last before it can be judged. */
  horizon?(tasks: WatchedTasks): number | undefined
}

/** A path in `expect`, such as `['requests', 2]`. */
export type ExpectPath = readonly (string | number)[]

export interface PlacedCheck extends Check {
  readonly path: ExpectPath
  /** Whether it may stay unexercised. */
  readonly isOptional?: boolean
}

/** A check that needs no counting. */
export function placeCheck(path: ExpectPath, judge: Check['judge']): PlacedCheck {
  return { path, judge }
}

/** The state of a run when it is judged. */
export interface RunState {
  /** The virtual instant. */
  readonly now: number
  readonly watch: RunCounts
  readonly invariants: readonly InvariantReport[]
  /** The tasks of the namespace, oldest first. */
  readonly tasks: readonly ReportedTask[]
  readonly rules: readonly RuleCount[]
  /** Undefined without a command. */
  readonly command: CommandOutcome | undefined
}

/** The counts of a watch. */
export interface RunCounts {
  /** The operations of the simulator. */
  readonly operations: OperationTable
  /** The instants of the first admission and of the last event; null before the first. */
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly tasks: WatchedTasks
  /** How the client ended; undefined until that is known. */
  readonly end: ClientEnd | undefined
  /** The cost of all requests, in the gateway's units. Failed tasks return theirs. */
  readonly quota: number
  /** Exchanges that have not settled yet. */
  readonly open: Iterable<JournalEntry>
  /** Requests without a matching operation: their number, and the first few, with the advice of the gateway. */
  readonly unmatched: {
    readonly count: number
    readonly first: readonly { readonly number: number; readonly method: string; readonly path: string }[]
    readonly hints: ReadonlySet<string>
  }
}

/** A task as the simulator reports it. */
export interface ReportedTask extends Readonly<
  Omit<TaskSummary, 'makes' | 'progress' | 'startedAt' | 'pollCount' | 'timeline' | 'ends'>
> {
  readonly timeline: readonly Pick<TaskSummary['timeline'][number], 'status' | 'from'>[]
}

/** The end of a command, for expectations. */
export interface CommandOutcome {
  /** The exit code, as in shells; null if the run was stopped earlier. */
  readonly exit: number | null
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string
  /** Standard output, or its last part. */
  readonly stdout: string
  /** The length of the complete output, if `stdout` is only its last part. */
  readonly stdoutBytes?: number
  /** The same for standard error. */
  readonly stderr?: string
  readonly stderrBytes?: number
  /** The expected file, or why it does not count. */
  readonly file?: WrittenFile | { readonly problem: string }
}

/** A file that a command wrote. */
interface WrittenFile {
  readonly sha256: string
  /** Missing if the file is too long to be compared as text. */
  readonly text?: string
}
