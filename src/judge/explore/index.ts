// What others need to search a client for bugs: choose what to try, run the client, search, report the findings.

// Choose
export { createSelection, selectorProblem } from '../runs/schedules.ts'

// Run
export {
  endOf,
  maxRequests,
  normalizeResult,
  type ClientRun,
  type RunClient,
  type RunOptions,
} from '../runs/client-run.ts'

// Search
export { explainSentOnlyOnce, explore, type Exploration, type SearchOptions } from './search.ts'
export { SearchInterruptedError } from './run-group.ts'
export type { Progress } from './progress.ts'
export { isAccepted, type Consequence, type Finding } from './findings.ts'
export { toFindingScenario } from './finding-scenario.ts'

// Report
export { reportExplorations } from './reports/report.ts'
export {
  describeExplorations,
  explorationColumns,
  flakySentence,
  judgeFinding,
  type ReportedExploration,
  type ReportedFinding,
} from './reports/suites.ts'
