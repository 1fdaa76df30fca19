// What others need to judge a client, in the order of a run: watch its exchanges, judge what was counted, report the verdict.
// explore/ has an index of its own. The files of recording/, client/ and HTML reports are imported one by one. The matchers,
// the dashboard and the simulator import single files of any kind, because they should load little.

// Watch
export { checkExpect } from './expectations/checks.ts'
export { Watch, watchJournal } from './watch.ts'
export { createWatch } from './judge.ts'
export { watchToolLoops } from './invariants/ends-tool-loop.ts'
export { isDownload } from './exchanges.ts'

// Judge
export { endInvariants, invariantNames, invariants, runningInvariants } from './invariants/invariants.ts'
export type { ClientEnd, InvariantReport } from './invariants/invariant.ts'
export { audit, type Audit } from './audit.ts'
export { findHorizon, invariantsOnly, judge, judgeEntries } from './judge.ts'
export { explainNothingAccepted } from './nothing-accepted.ts'
export { commandExpectation } from './expectations/command.ts'
export type { CommandOutcome } from './expectations/check.ts'
export {
  judgeSeeds,
  withAbnormalEnd,
  type FiredRules,
  type JudgedTask,
  type Judgement,
  type Result,
  type SeedsVerdict,
  type Verdict,
} from './verdict.ts'
export { isWaitKnown, observedWaitMs, type RunTiming } from './waits.ts'

// Report
export { reportRuns, type Verdicts } from './reports/run-report.ts'
export { formatMs } from './ranges.ts'
export { quoteWord, toOneLine, type Report } from './reports/report.ts'
export { failureReport, terminalReport } from './reports/terminal.ts'
export { reportFormats, writeReport, type ReportFormat } from './reports/write-report.ts'
export { readTrace, RunCollection, type CollectedRun, type UnboundedTrace } from './reports/html/html.ts'
