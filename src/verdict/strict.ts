import type { Audit } from './audit.ts'
import type { Allowances, Expect } from './expect.ts'
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

/**
 * What a strict audit fails for, as sentences.
 *
 * @param options.exercised whether an invariant that nothing put to the test counts. Without faults the gateway never asks a
 * client to wait, so hardly any audit exercises all of them.
 */
export function strictFailures(audited: Audit, { exercised }: { exercised: boolean }): string[] {
  const { invariants, approximated } = audited
  const kinds = Object.entries(approximated)
  return [
    ...invariants.flatMap(({ name, verdict, reason = '', doubtful }) => {
      const found = doubtful ? [`${name}: ${doubtful.first.message}`] : []
      if (verdict === 'not-applicable') return [...found, `${name} is not applicable: ${reason}.`]
      if (verdict === 'vacuous' && exercised) return [...found, `${name} was not exercised.`]
      return found
    }),
    ...(kinds.length > 0 ? [`Faults were only approximated: ${faultsInWords(kinds)}.`] : []),
  ]
}

function faultsInWords(counts: Iterable<readonly [fault: string, count: number]>): string {
  return [...counts].map(([fault, count]) => `${fault} ×${count}`).join(', ')
}
