export { PatternError, readPattern } from '../scenario/schema/sequence-pattern.ts'
export { invariantNames } from '../scenario/vocabulary/expect-schema.ts'
export type { InvariantName } from '../scenario/vocabulary/types.ts'
export {
  audit,
  auditAllowances,
  auditEntries,
  findStrictFailures,
  judgeAudit,
  type Audit,
  type AuditAllowance,
} from './audit.ts'
export { commandExpectation } from './expectations/command.ts'
export type { CommandOutcome, TaskRecord, WrittenFile } from './expectations/check.ts'
export { channels } from '../scenario/vocabulary/expect-values.ts'
export type { Expect, RequestExpectation } from '../scenario/vocabulary/types.ts'
export { invariants } from './invariants/invariants.ts'
export type { RunTiming } from './waits.ts'
export type { InvariantReport } from './invariants/invariant.ts'
export { findHorizon, judge, prepareToJudge, type Run } from './judge.ts'
export { auditReport } from './reports/audit.ts'
export { readTrace, type CollectedRun } from './reports/html/collect.ts'
export { RunCollection } from './reports/html/html.ts'
export { reportFormats, writeReport, type JsonReport, type ReportFormat } from './reports/reports.ts'
export { terminalReport } from './reports/terminal.ts'
export { quoteWord, type Verdicts } from './reports/text.ts'
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
