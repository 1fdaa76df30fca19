import { pluralize } from '../../../engine/pluralize.ts'
import { isAccepted, type Finding } from '../findings.ts'
import { formatMs } from '../../ranges.ts'
import type { Schedule } from '../schedules.ts'
import type { Exploration } from '../search.ts'

/** A finding with what only its caller knows. */
export interface ReportedFinding extends Finding {
  readonly isAccepted: boolean
  /** Whether it fails the exploration. */
  readonly fails: boolean
  /** Its scenario, the file that contains it, and the command that plays it. */
  readonly yaml?: string
  readonly file?: string
  readonly reproduce?: string
}

export interface ReportedExploration extends Omit<Exploration, 'findings'> {
  /** The command, or the name of the client. */
  readonly title: string
  readonly findings: readonly ReportedFinding[]
}

/** Judges whether a finding fails the exploration. A strict one fails for flaky findings, too. */
export function judgeFinding(
  finding: Finding,
  { accepted, isStrict }: { accepted: readonly string[]; isStrict: boolean },
): Finding & Pick<ReportedFinding, 'isAccepted' | 'fails'> {
  const isKnown = isAccepted(finding.key, accepted)
  return { ...finding, isAccepted: isKnown, fails: !isKnown && (isStrict || !finding.isFlaky) }
}

export const flakySentence =
  'It is flaky: no run that showed it, repeated, showed it again. Only a strict exploration fails for it.'

/** Names the runs of a confirmed finding that did not show it again, in a sentence; no sentence if all did. */
export function describeUnrepeated({ isFlaky, unrepeated }: Finding): string[] {
  if (isFlaky || unrepeated.length === 0) return []
  return [`${pluralize(unrepeated.length, 'run')} of it did not repeat: ${unrepeated.join(', ')}.`]
}

/** `Score 92 of 100; 105 runs`. Without a score if something was left out, and without real time, which differs in each run. */
export function describeScore({ score, cells }: ReportedExploration): string {
  const runs = pluralize(cells.length, 'run')
  return score === null ? runs : `Score ${score} of 100; ${runs}`
}

/** The baseline run is played twice. */
const baselineRuns = 2

/** What was left out of how much; undefined if nothing was. */
export function describeEarlyEnd(
  explorations: readonly Pick<ReportedExploration, 'cells' | 'left' | 'elapsedMs'>[],
): string | undefined {
  const sum = (count: (of: (typeof explorations)[number]) => number): number =>
    explorations.reduce((all, of) => all + count(of), 0)
  const left = sum((of) => of.left.length)
  if (left === 0) return undefined
  const tried = sum(({ cells }) => cells.length)
  const moreMs = (sum(({ elapsedMs }) => elapsedMs) / (tried + baselineRuns * explorations.length)) * left
  return (
    `stopped early: ${left} of ${pluralize(left + tried, 'schedule')} were not tried; ` +
    `they would take about ${formatMs(Math.ceil(moreMs / 1000) * 1000)}`
  )
}

/** `9 schedules: 429 date ×4, hang ×4, drip`. */
export function describeLeft(left: readonly Schedule[]): string {
  const counts = new Map<string, number>()
  for (const { name, parts } of left) {
    const what = parts.length > 1 ? 'pairs' : (parts[0]?.injection.id ?? name)
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  const list = [...counts].map(([what, count]) => (count === 1 ? what : `${what} ×${count}`))
  return `${pluralize(left.length, 'schedule')}: ${list.join(', ')}`
}
