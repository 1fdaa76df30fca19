import * as z from 'zod/mini'
import { formatDuration, parseDuration } from '../engine/clock/duration.ts'
import {
  createSelection,
  describeExplorations,
  explorationColumns,
  explainSentOnlyOnce,
  explore as search,
  judgeFinding,
  selectorProblem,
  toFindingScenario,
  type Exploration,
  type ReportedFinding,
} from '../judge/explore/index.ts'
import { explainNothingAccepted, terminalReport } from '../judge/index.ts'
import { SettingsError } from '../scenario/options.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import { anyFunction, checkedLater, someFunction } from '../simulator/check-options.ts'
import { checkArguments } from './clock-handle.ts'
import type { EmbeddedSimulator } from './embedded.ts'
import { ExploreError, type ExploredClient, type ExploreOptions } from './explore-options.ts'
import { exploredFunction, type Reach } from './explored/explored-function.ts'

const anyTexts = z.optional(z.array(z.string()))
const exploreOptions = z.strictObject({
  createStore: anyFunction,
  only: anyTexts,
  skip: anyTexts,
  accept: anyTexts,
  budget: checkedLater,
  strict: z.optional(z.boolean()),
  depth: checkedLater,
  jobs: checkedLater,
  seed: checkedLater,
  scenario: checkedLater,
  isFailure: anyFunction,
  equal: anyFunction,
} satisfies Record<keyof ExploreOptions, z.ZodMiniType>)

/**
 * Searches a client for bugs.
 * @param reach where its requests go, unless all of them use the given `fetch`.
 * @throws {ExploreError} for new findings, {ControlError} {SettingsError} {DurationError} for invalid options.
 */
export async function exploreClient<T, Store>(
  client: ExploredClient<T, Store>,
  options: ExploreOptions<T, Store>,
  createSimulator: (scenario: Scenario) => EmbeddedSimulator,
  reach: Reach = {},
): Promise<Exploration> {
  const known = { client: someFunction, options: exploreOptions }
  checkArguments("explore(client, { only: ['503'] })", known, { client, options })
  const {
    only = [],
    skip = [],
    accept = [],
    budget,
    strict = false,
    depth = 1,
    jobs = 1,
    seed,
    scenario,
  } = options
  const base: Scenario = { version: 1, ...(scenario && 'files' in scenario ? scenario.scenario : scenario) }
  for (const [name, selectors] of Object.entries({ only, skip })) {
    const problem = selectorProblem(selectors, [base])
    if (problem !== undefined) throw new SettingsError(`Failed to explore: ${name} ${problem}`)
  }
  const { isFailure = () => false, equal: isSame, createStore } = options
  const budgetMs = budget === undefined ? Infinity : parseDuration(budget)
  const run = exploredFunction({ client, createStore, createSimulator, isFailure, isSame, ...reach })
  const exploration = await search(run, {
    budgetMs,
    jobs,
    depth,
    crash: createStore !== undefined,
    isSelected: createSelection(only, skip),
    scenario: seed === undefined ? base : { ...base, seed },
  })
  const { baseline, cells, left, sentOnlyOnce } = exploration
  if (sentOnlyOnce && baseline.ended === 'succeeded')
    throw new ExploreError(explainSentOnlyOnce('the store of createStore'), [])
  const refused = explainNothingAccepted(baseline.exchanges)
  if (refused !== undefined && baseline.ended === 'succeeded') throw new ExploreError(refused, [])
  if (cells.length === 0 && left.length === 0 && baseline.ended === 'succeeded')
    throw new ExploreError(
      'Nothing was tried: the client sent no request, or none that fits only and skip.',
      [],
    )
  if (cells.length === 0 && left.length > 0)
    throw new ExploreError(
      `The budget of ${formatDuration(budgetMs)} ended before the first fault. Raise it.`,
      [],
    )
  const judged = exploration.findings.map((finding) =>
    judgeFinding(finding, { accepted: accept, isStrict: strict }),
  )
  const failing = judged.filter(({ fails }) => fails)
  const isPartial = left.length > 0 || cells.some(({ state }) => state === 'not judged')
  if (failing.length === 0 && !(strict && isPartial)) return exploration
  const hasFailed = baseline.ended !== 'succeeded'
  const reason = hasFailed ? `The client fails before anything goes wrong: ${baseline.reason}\n\n` : ''
  const text = await failureText(exploration, client.name || 'client', judged)
  throw new ExploreError(reason + text, failing)
}

/** The report, and a scenario for each finding that fails. */
async function failureText(
  exploration: Exploration,
  title: string,
  judged: readonly ReportedFinding[],
): Promise<string> {
  const { stringify } = await import('yaml')
  const scenarios = judged.flatMap((finding) => {
    if (!finding.fails) return []
    const scenario = toFindingScenario(finding, exploration)
    const text = scenario ? stringify(nameDefinitions(scenario), { lineWidth: 110 }) : ''
    return [`# To accept: ${JSON.stringify(finding.key)}\n${text}`]
  })
  const report = describeExplorations([{ ...exploration, title, findings: judged }])
  return [terminalReport(report, explorationColumns).trimEnd(), ...scenarios].join('\n\n')
}

/** A definition of an API is code, which YAML can't contain: the scenario names a file instead. */
function nameDefinitions(scenario: Scenario): Scenario {
  const { config } = scenario
  if (!config?.apis) return scenario
  const apis = config.apis.map((each) => (typeof each === 'string' ? each : `./${each.name}.ts`))
  return { ...scenario, config: { ...config, apis } }
}
