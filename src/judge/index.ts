export { PatternError, readPattern } from '../scenario/schema/sequence-pattern.ts'
export { invariantNames } from '../scenario/vocabulary/invariant-names.ts'
export type { InvariantName } from '../scenario/vocabulary/types.ts'
export { audit, type Audit } from './audit.ts'
export { commandExpectation } from './expectations/command.ts'
export type { CommandOutcome, TaskRecord, WrittenFile } from './expectations/check.ts'
export { channels } from '../scenario/vocabulary/expect-values.ts'
export type { Expect, RequestExpectation } from '../scenario/vocabulary/types.ts'
export { invariants } from './invariants/invariants.ts'
export type { RunTiming } from './waits.ts'
export type { ClientEnd, InvariantReport } from './invariants/invariant.ts'
export { findHorizon, invariantsOnly, judge, judgeEntries, prepareToJudge, type Run } from './judge.ts'
export { readTrace, type CollectedRun } from './reports/html/collect.ts'
export { RunCollection } from './reports/html/html.ts'
export { quoteWord, type Report } from './reports/report.ts'
export { reportRuns, type Verdicts } from './reports/run-report.ts'
export { terminalReport } from './reports/terminal.ts'
export { reportFormats, writeReport, type ReportFormat } from './reports/write-report.ts'
export {
  judgeSeeds,
  withAbnormalEnd,
  type JudgedTask,
  type Judgement,
  type Position,
  type Result,
  type SeedsVerdict,
  type Verdict,
} from './verdict.ts'
export type { OperationUsage } from './usage.ts'
export { openFields, replayEntries, Watch, watchJournal } from './watch.ts'
