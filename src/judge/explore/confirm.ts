import type { Scenario } from '../../scenario/vocabulary/types.ts'
import { habitNamed } from '../habits/habits.ts'
import type { ClientRun } from '../runs/client-run.ts'
import { toFinding, type ObservedMistake, type RepeatedMistake, type Finding } from './findings.ts'
import { toFindingScenario } from './finding-scenario.ts'
import { judgeBaseline, judgeRun, type JudgedRun } from './judge-run.ts'
import type { Baseline } from '../runs/run-context.ts'
import type { ProgressMeter } from './progress.ts'
import type { RunGroup } from './run-group.ts'
import {
  isBaseline,
  scenarioOfSchedule,
  withHostTime,
  type Base,
  nameSchedule,
  type ScheduledInjection,
  type Schedule,
} from '../runs/schedules.ts'
import { crashInjections, injections } from '../runs/injections.ts'

/** The parts of a search that repetitions use. */
export interface RepeatOptions {
  readonly baseline: Baseline
  readonly base: Base
  readonly jobs: number
  readonly meter: ProgressMeter
}

/** Repeats each mistake in the same way as the scenario file of its finding. */
export async function repeatMistakes(
  group: RunGroup,
  mistakes: readonly ObservedMistake[],
  options: RepeatOptions,
): Promise<RepeatedMistake[]> {
  const { baseline, base, jobs, meter } = options
  const again = new Map<ObservedMistake, ClientRun>()
  meter.planRepetitions(mistakes.length)
  await group.runInOrder(mistakes, { jobs }, async (mistake, onIdle) => {
    const { schedule, severity } = mistake
    const run = await meter.watch(onIdle, (whenIdle) =>
      group.run(toRepetition(mistake, options), {
        injected: schedule.name,
        maxVirtualMs: base.maxVirtualMs,
        isRepetition: true,
        hasHung: severity === 'hung',
        onIdle: whenIdle,
      }),
    )
    if (run) {
      again.set(mistake, run)
      meter.countRepetition(schedule.name)
    }
    return run
  })
  return mistakes.map((mistake) => {
    const repetition = again.get(mistake)
    const isFlaky = repetition !== undefined && !showsAgain(mistake, repetition, baseline)
    const isRefuted = repetition !== undefined && !isFlaky && passesScenario(mistake, repetition, options)
    return { ...mistake, repetition, isFlaky, ...(isRefuted && { isRefuted }) }
  })
}

function toRepetition(mistake: ObservedMistake, { baseline, base }: RepeatOptions): Scenario {
  const scenario = toFindingScenario(toFinding([mistake]), { baseline: baseline.run, base })
  if (!scenario) return scenarioOfSchedule(mistake.schedule, base)
  const { artifacts } = base.expect
  // The scenario only expects an error of a client that can't get its file: whether it got one shows the mistake again.
  const expect =
    habitNamed(mistake.habit).isAboutFile && artifacts ? { artifacts, ...scenario.expect } : scenario.expect
  return { ...scenario, expect, clock: withHostTime(scenario.clock) } as Scenario
}

/** Whether a repetition passed the scenario of its finding, as `greenroom run` would judge it. */
function passesScenario(
  mistake: ObservedMistake,
  run: ClientRun,
  { baseline, base }: RepeatOptions,
): boolean {
  const scenario = toFindingScenario(toFinding([mistake]), { baseline: baseline.run, base })
  if (!scenario || run.ended === 'hung' || run.ended === 'endless') return false
  const results = run.verdict.results.filter(
    // These are not in the file: see toRepetition.
    ({ path }) => scenario.expect?.artifacts !== undefined || !path.startsWith('artifacts'),
  )
  // A function has no exit code, which the file expects of a command.
  const isJudged = !results.some(
    ({ path, verdict }) => path.startsWith('command') && verdict === 'not-applicable',
  )
  return results.length > 0 && isJudged && !results.some(({ fails }) => fails)
}

/** Whether a run shows a mistake again. */
function showsAgain({ schedule, habit }: ObservedMistake, run: ClientRun, baseline: Baseline): boolean {
  const mistakes = isBaseline(schedule)
    ? judgeBaseline({ ...baseline, run })
    : judgeRun(schedule, run, baseline).mistakes
  return mistakes.some((mistake) => mistake.habit === habit)
}

/**
 * Simplifies a pair while the same mistake occurs: only one of the two, then a milder or an earlier one.
 * @param run returns undefined once the search is interrupted.
 * @returns undefined if no simpler schedule shows the mistake.
 */
export async function shrinkPair(
  { habit, schedule: pair }: Pick<Finding, 'habit' | 'schedule'>,
  run: (
    schedule: Schedule,
  ) => Promise<(Pick<JudgedRun, 'mistakes'> & { readonly trace: string }) | undefined>,
): Promise<ObservedMistake | undefined> {
  let best: ObservedMistake | undefined
  for (let hasShrunk = true; hasShrunk;) {
    hasShrunk = false
    for (const parts of simplify((best?.schedule ?? pair).parts)) {
      const schedule = { name: nameSchedule(parts), parts }
      const judged = await run(schedule)
      const same = judged?.mistakes.find((mistake) => mistake.habit === habit)
      if (!judged || !same) continue
      best = { ...same, schedule, trace: judged.trace }
      hasShrunk = true
      break
    }
  }
  return best
}

function simplify(parts: readonly ScheduledInjection[]): ScheduledInjection[][] {
  const replace = (index: number, part: ScheduledInjection): ScheduledInjection[] =>
    parts.map((each, at) => (at === index ? part : each))
  return [
    ...(parts.length > 1 ? parts.map((_, index) => parts.filter((_, at) => at !== index)) : []),
    ...parts.flatMap(({ injection, place }, index) =>
      [...injections, ...crashInjections]
        .filter(
          ({ family, rank, at, fits }) =>
            family === injection.family &&
            rank < injection.rank &&
            at.includes(place.kind) &&
            fits?.(place) !== false,
        )
        .map((milder) => replace(index, { injection: { ...milder, expected: injection.expected }, place })),
    ),
  ]
}
