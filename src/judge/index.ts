export { audit, auditEntries, auditReport, type Audit, type AuditedOperation } from './audit.ts'
export { isAbnormalEnd } from './abnormal-end.ts'
export { invariantNames, type InvariantName } from '../scenario/invariant-names.ts'
export {
  channels,
  type AlwaysExpectation,
  type ArtifactExpectation,
  type CommandExpectation,
  type Expect,
  type QuietExpectation,
  type RequestExpectation,
  type SequenceExpectation,
  type SometimesExpectation,
  type TaskExpectation,
} from './expectations/expect.ts'
export { PatternError, readPattern } from '../scenario/rules/sequence-pattern.ts'
export type { InvariantReport, Violation } from './invariant.ts'
export { invariants } from './invariants/invariants.ts'
export { horizonOf, judge, prepareToJudge, type Run } from './judge.ts'
export type { Judgement, Position } from './judged.ts'
export type { CommandOutcome, WrittenFile } from './expectations/command.ts'
export type { RuleCount } from './expectations/rules.ts'
export { writeReport } from './reports/reports.ts'
export { reportFormats, type ReportFormat } from './reports/formats.ts'
export type { JsonReport } from './reports/json.ts'
export { terminalReport } from './reports/terminal.ts'
export type { Judged } from './reports/words.ts'
export { auditAllowances, strictFailures, type AuditAllowance } from './strict.ts'
export { sweep, type SweepVerdict } from './sweep.ts'
export type { JudgedTask, Result, Verdict } from './verdict.ts'
export { replayEntries, Watch, watchJournal } from './watch.ts'
