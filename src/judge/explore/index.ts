export {
  endOf,
  maxRequests,
  normalizeResult,
  type ClientRun,
  type RunClient,
  type RunOptions,
} from './client-run.ts'
export { isAccepted, type Finding } from './findings.ts'
export { injections, type Injection } from './injections.ts'
export { severities, type CellState, type Mistake, type Severity } from './judge-run.ts'
export {
  createSelection,
  selectorProblem,
  toScenario,
  type Part,
  type Schedule,
  type Selection,
} from './schedules.ts'
export { SearchInterruptedError } from './run-group.ts'
export type { Progress } from './progress.ts'
export { explore, type Cell, type Exploration, type SearchOptions } from './search.ts'
export { toFindingScenario } from './finding-scenario.ts'
export { reportExplorations } from './reports/report.ts'
export { describeExplorations, explorationColumns } from './reports/suites.ts'
export {
  flakySentence,
  judgeFinding,
  type ReportedExploration,
  type ReportedFinding,
} from './reports/reported.ts'
