import { formatDuration, parseDuration } from '../engine/clock/duration.ts'
import {
  createSelection,
  explorationText,
  explore as search,
  isAccepted,
  selectorProblem,
  toFindingScenario,
  type Exploration,
  type Finding,
  type ReportedExploration,
  type ReportedFinding,
} from '../judge/explore/index.ts'
import { SettingsError } from '../apis/video/settings.ts'
import type { LoadedScenario } from '../scenario/files/types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import type { EmbeddedSimulator } from './embedded.ts'
import { exploredFunction, type ExploredClient } from './explored-function.ts'

/**
 * The options of {@link explore}.
 *
 * @example
 * const options: ExploreOptions = { only: ['video.*'], skip: ['slowness'], budget: '20s', depth: 2 }
 */
export interface ExploreOptions<T = unknown> {
  /** Only these operations (`video.*`), families (`rate limit`) or faults (`503`). Default: all. */
  only?: readonly string[]
  /** None of these operations, families or faults. */
  skip?: readonly string[]
  /** Keys of findings that fail nothing, as the error lists them. */
  accept?: readonly string[]
  /** Real time for all runs: a duration such as `20s`, or milliseconds. Default 60s. */
  budget?: string | number
  /** 2 also tries pairs of faults that the client survived. Default 1. */
  depth?: 1 | 2
  /** How many runs share the process at a time. Default 1: more is only faster if your client waits in real time. */
  jobs?: number
  /** The seed of every run. Default 1. */
  seed?: number | string
  /** What holds in every run, such as keys, models or prices. Its rules stand behind the injected faults. */
  scenario?: LoadedScenario | Scenario
  /** Whether a value reports a failure, for clients that return failures instead of throwing. */
  isFailure?: (value: T) => boolean
  /** Whether two values are the same result. By default both are compared as JSON, bytes included, without ids of tasks. */
  equal?: (value: T, other: T) => boolean
}

/**
 * The client has a bug: {@link explore} found what the gateway may do that it does not take well. The message is the report,
 * with a scenario for each finding.
 *
 * @example
 * const error = await explore((gateway) => makeVideoCarelessly(gateway)).catch((error: ExploreError) => error)
 * error.findings[0] // → { severity: 'wrong result', sentence: 'The client keeps a damaged download (video.content).', … }
 */
export class ExploreError extends Error {
  override name = 'ExploreError'
  /** The new findings, worst first. */
  readonly findings: readonly Finding[]

  constructor(message: string, findings: readonly Finding[]) {
    super(message)
    this.findings = findings
    // The call stack would be noise.
    this.stack = `${this.name}: ${message}`
  }
}

/** Searches a client for bugs. @see explore in the entries, which name the simulator to create. */
export async function exploreClient<T>(
  client: ExploredClient<T>,
  options: ExploreOptions<T>,
  createSimulator: (scenario: Scenario) => EmbeddedSimulator,
): Promise<Exploration> {
  const { only = [], skip = [], accept = [], budget = '60s', depth = 1, jobs = 1, seed, scenario } = options
  for (const [name, selectors] of Object.entries({ only, skip })) {
    const problem = selectorProblem(selectors)
    if (problem !== undefined) throw new SettingsError(`Failed to explore: ${name} ${problem}`)
  }
  const { isFailure = () => false, equal: isSame } = options
  const base: Scenario = { version: 1, ...(scenario && 'files' in scenario ? scenario.scenario : scenario) }
  const budgetMs = parseDuration(budget)
  const exploration = await search(exploredFunction({ client, createSimulator, isFailure, isSame }), {
    budgetMs,
    jobs,
    depth,
    isSelected: createSelection(only, skip),
    scenario: seed === undefined ? base : { ...base, seed },
  })
  const { baseline, cells, left } = exploration
  if (cells.length === 0 && left > 0)
    throw new ExploreError(
      `The budget of ${formatDuration(budgetMs)} ended before the first fault. Raise it.`,
      [],
    )
  const fresh = exploration.findings.filter(({ key }) => !isAccepted(key, accept))
  if (fresh.length === 0) return exploration
  const title = client.name || 'client'
  const hasFailed = baseline.ended !== 'succeeded'
  const reason = hasFailed ? `The client fails before anything goes wrong: ${baseline.reason}\n\n` : ''
  throw new ExploreError(reason + (await failureText(exploration, { title, accept, fresh })), fresh)
}

/** The report, and the scenario of each new finding. */
async function failureText(
  exploration: Exploration,
  { title, accept, fresh }: { title: string; accept: readonly string[]; fresh: readonly Finding[] },
): Promise<string> {
  const toReported = (finding: Finding): ReportedFinding => ({
    ...finding,
    isAccepted: isAccepted(finding.key, accept),
    file: undefined,
    yaml: undefined,
    reproduce: undefined,
  })
  const reported: ReportedExploration = {
    ...exploration,
    title,
    findings: exploration.findings.map(toReported),
  }
  const { stringify } = await import('yaml')
  const scenarios = fresh.flatMap((finding) => {
    const scenario = toFindingScenario(finding, exploration)
    const text = scenario ? stringify(scenario, { lineWidth: 110 }) : ''
    return [`# To accept: ${JSON.stringify(finding.key)}\n${text}`]
  })
  return [explorationText(reported), ...scenarios].join('\n\n')
}
