import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from './client-run.ts'
import { toFinding, type ObservedMistake, type RepeatedMistake } from './findings.ts'
import { toFindingScenario } from './finding-scenario.ts'
import { judgeBaseline, judgeRun, type Baseline } from './judge-run.ts'
import type { ProgressMeter } from './progress.ts'
import type { RunGroup } from './run-group.ts'
import { toScenario, withHostTime, type Base } from './schedules.ts'

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
  meter.plan(mistakes.length)
  await group.runInOrder(mistakes, { jobs }, async (mistake, onIdle) => {
    const { schedule, severity } = mistake
    const of = await meter.watch(onIdle, (whenIdle) =>
      group.run(toRepetition(mistake, options), {
        injected: schedule.name,
        maxVirtualMs: base.maxVirtualMs,
        isRepetition: true,
        hasHung: severity === 'hung',
        onIdle: whenIdle,
      }),
    )
    if (of) {
      again.set(mistake, of)
      meter.count(schedule.name, 0)
    }
    return of
  })
  return mistakes.map((mistake) => {
    const repetition = again.get(mistake)
    const isFlaky = repetition !== undefined && !showsAgain(mistake, repetition, baseline)
    return { ...mistake, repetition, isFlaky }
  })
}

function toRepetition(mistake: ObservedMistake, { baseline, base }: RepeatOptions): Scenario {
  const scenario = toFindingScenario(toFinding([mistake]), { baseline: baseline.run, base })
  if (!scenario) return toScenario(mistake.schedule, base)
  return { ...scenario, clock: withHostTime(scenario.clock) } as Scenario
}

/** Whether a run shows a mistake again. */
function showsAgain({ schedule, habit }: ObservedMistake, of: ClientRun, baseline: Baseline): boolean {
  const isBaseline = schedule.parts.length === 0 && !schedule.variant
  const mistakes = isBaseline
    ? judgeBaseline({ ...baseline, run: of })
    : judgeRun(schedule, of, baseline).mistakes
  return mistakes.some((mistake) => mistake.habit === habit)
}
