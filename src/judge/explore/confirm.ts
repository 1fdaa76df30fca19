import type { Scenario } from '../../scenario/vocabulary/types.ts'
import { commandExpectation } from '../expectations/command.ts'
import { habitNamed } from '../habits/habits.ts'
import type { ClientRun } from '../runs/client-run.ts'
import { toFinding, toFindings, type Finding } from './findings.ts'
import type { ObservedMistake, RepeatedMistake } from './mistakes.ts'
import { toFindingScenario } from './finding-scenario.ts'
import { judgeBaseline, judgeRun, type JudgedRun } from './judge-run.ts'
import type { Baseline } from '../runs/run-context.ts'
import type { ProgressMeter } from './progress.ts'
import type { RunGroup } from './run-group.ts'
import {
  isBaseline,
  scenarioOfSchedule,
  toRunClock,
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
  const { base, jobs, meter } = options
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
  const proofs = new Map([...again].map(([each, run]) => [each, proveMistake(each, run, options)]))
  const proven = new Set(
    mistakes.flatMap((each) => (proofs.get(each) === 'proven' ? each.schedule.name : [])),
  )
  return mistakes.map((mistake) => {
    const repetition = again.get(mistake)
    if (!repetition) return { ...mistake, repetition, isFlaky: false }
    const proof = proofs.get(mistake)
    // A file that fails by another mistake of the same run does not show this one.
    const isOther = proof === 'fails otherwise' && proven.has(mistake.schedule.name)
    const isRefuted = !repetition.isRealTime && (proof === 'passes' || isOther)
    return { ...mistake, repetition, isFlaky: proof !== 'proven' && !isRefuted, isRefuted }
  })
}

/**
 * Repeats one mistake of each finding while no other run is at work. Runs share a folder: a client that writes `out/part` in two
 * runs at once fails, but not by a fault. A mistake that does not occur alone is refuted; then the next mistake of its finding is
 * repeated.
 */
export async function repeatAlone(
  group: RunGroup,
  mistakes: readonly RepeatedMistake[],
  options: RepeatOptions,
): Promise<readonly RepeatedMistake[]> {
  if (options.jobs === 1) return mistakes
  const tried = new Set<string>()
  const nameMistake = ({ schedule, habit }: Pick<ObservedMistake, 'schedule' | 'habit'>): string =>
    `${schedule.name} | ${habit}`
  let judged = mistakes
  for (;;) {
    const standing = judged.filter(({ isRefuted, isFlaky }) => !isRefuted && !isFlaky)
    const names = new Set(toFindings(standing).map(nameMistake))
    const next = standing.find((each) => names.has(nameMistake(each)) && !tried.has(nameMistake(each)))
    if (next === undefined) return judged
    tried.add(nameMistake(next))
    const [alone = next] = await repeatMistakes(group, [next], { ...options, jobs: 1 })
    judged = judged.map((each) => (each === next ? alone : each))
  }
}

function toRepetition(mistake: ObservedMistake, { baseline, base }: RepeatOptions): Scenario {
  const scenario = toFindingScenario(toFinding([mistake]), { baseline: baseline.run, base })
  if (!scenario) return scenarioOfSchedule(mistake.schedule, base)
  const { artifacts } = base.expect
  // The scenario only expects an error of a client that can't get its file: whether it got one shows the mistake again.
  const expect =
    habitNamed(mistake.habit).isAboutFile && artifacts ? { artifacts, ...scenario.expect } : scenario.expect
  return { ...scenario, expect, clock: toRunClock(base) } as Scenario
}

/** What a run of the scenario of a mistake says: the client fails by that mistake, fails otherwise, or passes. */
function proveMistake(
  mistake: ObservedMistake,
  run: ClientRun,
  { baseline, base }: RepeatOptions,
): 'proven' | 'fails otherwise' | 'passes' {
  const occursAgain = showsAgain(mistake, run, baseline)
  const scenario = toFindingScenario(toFinding([mistake]), { baseline: baseline.run, base })
  if (!scenario) return occursAgain ? 'proven' : 'fails otherwise'
  const failing = listFailures(run, scenario)
  if (failing.length === 0) return 'passes'
  const { isProvenBy = () => true } = habitNamed(mistake.habit)
  return occursAgain && failing.some(isProvenBy) ? 'proven' : 'fails otherwise'
}

/** The paths of what fails when `greenroom run` plays a scenario. A function has no exit code, so how it ended stands for that. */
function listFailures(run: ClientRun, { expect = {}, crash = [] }: Scenario): string[] {
  const { exit, stdout } = commandExpectation(expect)
  const results = run.verdict.results.filter(
    // A repetition also judges artifacts that are not in the file: see toRepetition.
    ({ path }) => expect.artifacts !== undefined || !path.startsWith('artifacts'),
  )
  const isFunction = results.some(
    ({ path, verdict }) => path.startsWith('command') && verdict === 'not-applicable',
  )
  const hasFailed = run.ended === 'failed'
  const isWrongEnd =
    exit === undefined || exit === 0 ? hasFailed : isFunction && exit === 'nonzero' && !hasFailed
  const hasEnded = run.ended === 'succeeded' || run.ended === 'failed'
  return [
    ...(hasEnded ? [] : ['run']),
    ...results.filter(({ fails }) => fails).map(({ path }) => path),
    ...(isWrongEnd ? ['command'] : []),
    // What a function returns was compared with the result of the baseline run.
    ...(isFunction && stdout !== undefined ? ['command.stdout'] : []),
    ...((run.crashes ?? []).length < crash.length ? ['run'] : []),
  ]
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
