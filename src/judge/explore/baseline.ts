import { rulePrefix } from '../../apis/define/exploration.ts'
import { writesText } from '../../engine/operations/facts.ts'
import { keyedDraws } from '../../engine/random/draws.ts'
import type { ArtifactExpectation, Expect, Rule, Scenario } from '../../scenario/vocabulary/types.ts'
import { findTimeBound, maxBaselineMs, type ClientRun } from '../runs/client-run.ts'
import { findCommonResult } from '../runs/results.ts'
import type { Baseline } from '../runs/run-context.ts'
import { baseline as baselineSchedule, scenarioOfSchedule, type Base } from '../runs/schedules.ts'
import { SearchInterruptedError, type RunGroup } from './run-group.ts'

const lenient = { notExercised: true, unusedRules: true, unmatched: true } as const

/** What every run of a client has in common. */
export interface BaselineOptions {
  /** The base of every run: config, seed, and rules that come after the injected ones. */
  readonly scenario?: Scenario
  /** Whether the client is a command, which reports a failure only by its exit code. */
  readonly hasExitCode?: boolean
  /** Whether the client reads its time from the clock of each run, so that this need not start at the present. */
  readonly isVirtualTime?: boolean
}

/** In how many further runs jobs take other durations. */
const otherDurations = 2

/**
 * Runs the client twice, because parts that differ without a fault can't be compared. A client of several jobs also runs with other
 * durations, because the order in which jobs end is no result.
 */
export async function runBaseline(
  group: RunGroup,
  { scenario = { version: 1 }, hasExitCode = false, isVirtualTime = false }: BaselineOptions,
): Promise<{ base: Base; baseline: Baseline; sentOnlyOnce: boolean }> {
  const { abandonedTasks } = scenario.expect?.allow ?? {}
  const expect: Expect = { allow: { ...lenient, ...(abandonedTasks && { abandonedTasks }) } }
  const play = async (base: Base, isRepetition = false): Promise<ClientRun> => {
    const { maxVirtualMs } = base
    const run = await group.run(scenarioOfSchedule(baselineSchedule, base), { isRepetition, maxVirtualMs })
    if (run) return run
    throw new SearchInterruptedError('Interrupted before the client had run without a fault')
  }
  const maxVirtualMs = maxBaselineMs
  const own = withOtherIds(scenario)
  const withText: Base = { scenario: own, hasComparableTexts: true, expect, maxVirtualMs, isVirtualTime }
  const first = await play(withText)
  // A client may need a text of another kind.
  const isTextBad = first.ended === 'failed' && first.exchanges.some(writesText)
  const text = isTextBad ? { ...withText, hasComparableTexts: false } : withText
  const channels = new Set(first.verdict.tasks.map(({ channel }) => channel))
  const artifacts = [...channels].map((channel) => ({ channel, downloaded: 'intact' }) as ArtifactExpectation)
  const base: Base = { ...text, expect: { ...expect, artifacts } }
  const second = first.ended === 'succeeded' || isTextBad ? await play(base, true) : first
  const runs = [first, second]
  if (second.ended === 'succeeded')
    for (const rules of listDurations(second))
      runs.push(await play({ ...base, scenario: { ...own, rules: [...(own.rules ?? []), ...rules] } }))
  const expectedResult = runs.every(({ ended }) => ended === second.ended)
    ? findCommonResult(runs)
    : undefined
  const bounded = { ...base, maxVirtualMs: findTimeBound(second) }
  const sentOnlyOnce = first.exchanges.length > 0 && second.exchanges.length === 0
  return {
    base: bounded,
    baseline: {
      run: second,
      isComparable: expectedResult !== undefined,
      expectedResult,
      hasExitCode,
      scenario,
    },
    sentOnlyOnce,
  }
}

/** Rules by which the jobs of a run take other durations; none for a run of fewer than two jobs. */
function listDurations({ exchanges }: ClientRun): Rule[][] {
  const jobs = exchanges.filter(
    (entry) => (entry.role === 'submit' && entry.task !== null) || writesText(entry),
  )
  if (jobs.length < 2) return []
  return Array.from({ length: otherDurations }, (_, index) => {
    const draws = keyedDraws(`durations ${index + 1}`)
    const counts = new Map<string, number>()
    return jobs.map((entry): Rule => {
      const op = entry.operation!
      const nth = (counts.get(op) ?? 0) + 1
      counts.set(op, nth)
      const seconds = (what: string): string => `${1 + draws.integer(25, what, op, nth)}s`
      const effect = writesText(entry)
        ? { delay: seconds('delay'), continue: true as const }
        : { task: { queued: seconds('queued'), render: seconds('render') } }
      const id = `${rulePrefix}duration-${op.replaceAll('.', '-')}-${nth}`
      return { id, optional: true, match: { op }, on: nth, ...effect } as Rule
    })
  })
}

/** Renames the rules of a scenario that `explore` has written, so that injected rules can have these ids. */
function withOtherIds(scenario: Scenario): Scenario {
  const rules = scenario.rules?.map((rule): Rule =>
    rule.id?.startsWith(rulePrefix) ? { ...rule, id: `given-${rule.id}` } : rule,
  )
  return { ...scenario, ...(rules && { rules }) }
}
