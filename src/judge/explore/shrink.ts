import type { Finding, ObservedMistake } from './findings.ts'
import { crashInjections, injections } from './injections.ts'
import type { JudgedRun } from './judge-run.ts'
import { nameSchedule, type Part, type Schedule } from './schedules.ts'

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
      const of = await run(schedule)
      const same = of?.mistakes.find((mistake) => mistake.habit === habit)
      if (!of || !same) continue
      best = { ...same, schedule, trace: of.trace }
      hasShrunk = true
      break
    }
  }
  return best
}

function simplify(parts: readonly Part[]): Part[][] {
  const replace = (index: number, part: Part): Part[] => parts.map((each, at) => (at === index ? part : each))
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
