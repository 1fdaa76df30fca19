import type { Finding } from '../findings.ts'
import { pluralize } from '../../ranges.ts'
import type { Schedule } from '../schedules.ts'
import type { Exploration } from '../search.ts'

/** A finding with what only its caller knows. */
export interface ReportedFinding extends Finding {
  readonly isAccepted: boolean
  /** Its scenario file, and the command that plays it. */
  readonly file: string | undefined
  readonly yaml: string | undefined
  readonly reproduce: string | undefined
}

export interface ReportedExploration extends Omit<Exploration, 'findings'> {
  /** The command, or the name of the client. */
  readonly title: string
  readonly findings: readonly ReportedFinding[]
}

/** Whether it fails the exploration. */
export const isNew = (finding: Pick<ReportedFinding, 'isAccepted' | 'isFlaky'>): boolean =>
  !finding.isAccepted && !finding.isFlaky

export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}s`

export const flakySentence = 'It is flaky: the same run, repeated, did not show it again. It fails nothing.'

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
