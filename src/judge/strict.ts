import type { Audit } from './audit.ts'
import type { Allowances, Expect } from './expectations/expect.ts'
import type { Result } from './verdict.ts'
import type { Watch } from './watch.ts'

const howToAllow = (key: keyof Allowances): string =>
  `To allow it, set expect.allow.${key} to true in the scenario, or pass --no-strict.`

const howToJudge = (path: string): string =>
  path.startsWith('command')
    ? 'To judge a command, put it after "--".'
    : 'To judge waits, let the client sleep on the clock, or pass --clock real.'

/**
 * A result in a strict run: what can't be judged, or is doubtful, fails unless the file allows it. `sometimes` stays as it
 * is: only a sweep can judge it.
 */
export function strictResult(
  result: Result,
  { mayBeUnjudged, allow }: { mayBeUnjudged: boolean; allow: Allowances },
): Result {
  const { path, verdict, fails, doubtful } = result
  if (
    verdict === 'not-applicable' &&
    !path.startsWith('sometimes[') &&
    !mayBeUnjudged &&
    !allow.notApplicable
  )
    return { ...result, fails: true, hint: `${howToJudge(path)} ${howToAllow('notApplicable')}` }
  if (!doubtful || fails) return result
  const { message: actual, requests } = doubtful
  const { doubtful: _told, ...rest } = result
  return { ...rest, verdict: 'fail', fails: true, actual, requests, hint: 'To allow it, pass --no-strict.' }
}

/** What a strict run fails for apart from its expectations: faults that were only approximated. */
export function strictResults({ allow = {} }: Expect, { approximated }: Watch): Result[] {
  if (approximated.size === 0 || allow.approximated) return []
  const result = failed('every fault is carried out exactly', `approximated: ${faultsInWords(approximated)}`)
  return [{ ...result, hint: howToAllow('approximated') }]
}

function failed(expected: string, actual: string): Result {
  return {
    path: 'run',
    title: `run: ${expected}`,
    verdict: 'fail',
    fails: true,
    expected,
    actual,
    requests: [],
  }
}

/** The kinds of failure that a strict audit adds, by the words that allow them. */
export const auditAllowances = ['not-applicable', 'not-exercised', 'approximated', 'doubtful'] as const
export type AuditAllowance = (typeof auditAllowances)[number]

/** One thing that only a strict audit fails for, as a sentence. */
export interface StrictFailure {
  readonly kind: AuditAllowance
  readonly message: string
}

/** What a strict audit fails for, except for the kinds that are allowed. */
export function strictFailures(audited: Audit, allowed: readonly AuditAllowance[]): StrictFailure[] {
  const failures: StrictFailure[] = []
  for (const { name, verdict, reason = '', doubtful } of audited.invariants) {
    if (doubtful) failures.push({ kind: 'doubtful', message: `${name}: ${doubtful.first.message}` })
    if (verdict === 'not-applicable')
      failures.push({ kind: 'not-applicable', message: `${name} is not applicable: ${reason}.` })
    if (verdict === 'not-exercised')
      failures.push({ kind: 'not-exercised', message: `${name} was not exercised.` })
  }
  const faults = Object.entries(audited.approximated)
  if (faults.length > 0)
    failures.push({
      kind: 'approximated',
      message: `Faults were only approximated: ${faultsInWords(faults)}.`,
    })
  return failures.filter(({ kind }) => !allowed.includes(kind))
}

function faultsInWords(counts: Iterable<readonly [fault: string, count: number]>): string {
  return [...counts].map(([fault, count]) => `${fault} ×${count}`).join(', ')
}
