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

/** In how many further runs several jobs take durations of their own. */
const ownDurations = 2

/**
 * Runs the client twice, because parts that differ without a fault can't be compared. Then jobs take other durations.
 * A part that depends on these does not count as a result, such as whether a client cancels its job before the end,
 * or the order in which several jobs end.
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
  const kinds = new Set(first.verdict.tasks.map(({ kind }) => kind))
  const artifacts = [...kinds].map((kind) => ({ kind, downloaded: 'intact' }) as ArtifactExpectation)
  const base: Base = { ...text, expect: { ...expect, artifacts } }
  const second = first.ended === 'succeeded' || isTextBad ? await play(base, true) : first
  const runs = [first, second]
  if (second.ended === 'succeeded')
    for (const rules of listDurations(second))
      runs.push(await play({ ...base, scenario: { ...own, rules: [...(own.rules ?? []), ...rules] } }))
  // A client may be right to give up a job that takes long.
  const same = runs.filter(({ ended }, index) => index < 2 || ended === 'succeeded')
  const expectedResult = same.every(({ ended }) => ended === second.ended)
    ? findCommonResult(same)
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

/** How long a job takes, in seconds. */
interface JobDuration {
  readonly queued: number
  readonly render: number
}

/** A job that ends before most clients poll it, and one that takes long. */
const extremes: readonly JobDuration[] = [
  { queued: 1, render: 1 },
  { queued: 20, render: 60 },
]

/** For each further run, the rules by which its jobs take other durations. */
function listDurations({ exchanges }: ClientRun): Rule[][] {
  const tasks = exchanges.filter((entry) => entry.role === 'submit' && entry.task !== null)
  const jobs = exchanges.filter((entry) => tasks.includes(entry) || writesText(entry))
  const equal = tasks.length > 0 ? extremes.map((duration) => toRules(tasks, () => duration)) : []
  if (jobs.length < 2) return equal
  const drawn = Array.from({ length: ownDurations }, (_, index) => {
    const draws = keyedDraws(`durations ${index + 1}`)
    return toRules(jobs, (op, nth) => {
      const draw = (what: string): number => 1 + draws.integer(25, what, op, nth)
      return { queued: draw('queued'), render: draw('render') }
    })
  })
  return [...equal, ...drawn]
}

/** A rule for each job, by the operation and its number among those. A text is delayed. */
function toRules(jobs: ClientRun['exchanges'], durationOf: (op: string, nth: number) => JobDuration): Rule[] {
  const counts = new Map<string, number>()
  return jobs.map((entry): Rule => {
    const op = entry.operation!
    const nth = (counts.get(op) ?? 0) + 1
    counts.set(op, nth)
    const { queued, render } = durationOf(op, nth)
    const effect = writesText(entry)
      ? { delay: `${queued}s`, continue: true as const }
      : { task: { queued: `${queued}s`, render: `${render}s` } }
    const id = `${rulePrefix}duration-${op.replaceAll('.', '-')}-${nth}`
    return { id, optional: true, match: { op }, on: nth, ...effect } as Rule
  })
}

/** Renames the rules of a scenario that `explore` has written, so that injected rules can have these ids. */
function withOtherIds(scenario: Scenario): Scenario {
  const rules = scenario.rules?.map((rule): Rule =>
    rule.id?.startsWith(rulePrefix) ? { ...rule, id: `given-${rule.id}` } : rule,
  )
  return { ...scenario, ...(rules && { rules }) }
}
