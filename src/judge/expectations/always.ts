import type { Expect } from './expect.ts'
import type { InvariantReport } from '../invariant.ts'
import type { Doubt, Finding } from '../judged.ts'
import { often } from '../ranges.ts'

/** Judges the invariants that a file names. */
export function judgeAlways(
  { always = [] }: Expect,
  reports: readonly InvariantReport[],
): { path: (string | number)[]; finding: Finding; optional: boolean }[] {
  return always.flatMap((each, index) => {
    const { name, optional = false } = typeof each === 'string' ? { name: each } : each
    const report = reports.find((known) => known.name === name)
    return report ? [{ path: ['always', index], finding: findingOf(report), optional }] : []
  })
}

/** What an invariant has to say, as what became of an expectation. */
export function findingOf(report: InvariantReport): Finding {
  const { name, verdict, exercised, violations, first, reason, doubtful } = report
  const more = violations > 1 ? ` (${violations} times in all)` : ''
  return {
    verdict,
    expected: name,
    actual: first ? `${first.message}${more}` : (reason ?? `kept, tested ${often(exercised)}`),
    requests: first?.requests ?? [],
    ...(doubtful && { doubtful: doubtOf(doubtful) }),
  }
}

/** What a report says of doubtful behaviour: the first time, and how often. */
export function doubtOf({ count, first }: NonNullable<InvariantReport['doubtful']>): Doubt {
  const more = count > 1 ? ` (${count} times in all)` : ''
  return { message: `${first.message}${more}`, requests: first.requests }
}
