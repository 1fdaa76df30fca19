import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from './client-run.ts'
import { toFindingScenario } from './finding-scenario.ts'
import type { Finding } from './findings.ts'
import { injections } from './injections.ts'
import { judgeBaseline, judgeRun, type Baseline, type JudgedRun } from './judge-run.ts'
import { nameSchedule, toScenario, withHostTime, type Base, type Part, type Schedule } from './schedules.ts'

/**
 * Tries what is simpler than a pair as long as it shows the same: one of the two, milder, earlier.
 * @param run returns undefined once the search is interrupted.
 */
export async function shrinkPair(
  finding: Finding,
  run: (schedule: Schedule) => Promise<JudgedRun | undefined>,
): Promise<Finding> {
  let best = finding.schedule
  let { detail } = finding
  for (let hasShrunk = true; hasShrunk;) {
    hasShrunk = false
    for (const parts of simplify(best.parts)) {
      const schedule = { name: nameSchedule(parts), parts }
      const same = (await run(schedule))?.mistakes.find(({ habit }) => habit === finding.habit)
      if (!same) continue
      ;[best, detail, hasShrunk] = [schedule, same.detail, true]
      break
    }
  }
  return { ...finding, schedule: best, detail }
}

function simplify(parts: readonly Part[]): Part[][] {
  const replace = (index: number, part: Part): Part[] => parts.map((each, at) => (at === index ? part : each))
  return [
    ...(parts.length > 1 ? parts.map((_, index) => parts.filter((_, at) => at !== index)) : []),
    ...parts.flatMap(({ injection, place }, index) =>
      injections
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

/** A finding as its file will play it. */
export function toRepetition(finding: Finding, explored: { baseline: ClientRun; base: Base }): Scenario {
  const scenario = toFindingScenario(finding, explored)
  if (!scenario) return toScenario(finding.schedule, explored.base)
  return { ...scenario, clock: withHostTime(scenario.clock) } as Scenario
}

/** Whether a run shows the mistake of a finding again. */
export function hasRepeated({ schedule, habit }: Finding, of: ClientRun, baseline: Baseline): boolean {
  const isBaseline = schedule.parts.length === 0 && !schedule.variant
  const mistakes = isBaseline
    ? judgeBaseline({ ...baseline, run: of })
    : judgeRun(schedule, of, baseline).mistakes
  return mistakes.some((mistake) => mistake.habit === habit)
}
