import { parseDuration } from '../../engine/clock/duration.ts'
import type { Expect } from './expect.ts'
import { maxListedNames, type Finding } from '../judged.ts'
import { inWords } from '../ranges.ts'
import type { Watch } from '../watch.ts'

/** Judges how long the run took on the virtual clock, from its first request to its last answer. */
export function judgeWithin(within: string, { firstAt, lastAt }: Watch): Finding {
  const expected = `all done within ${within}`
  if (firstAt === null || lastAt === null) {
    return { verdict: 'not-exercised', expected, actual: 'there was no request', requests: [] }
  }
  const tookMs = lastAt - firstAt
  const verdict = tookMs <= parseDuration(within) ? 'pass' : 'fail'
  return { verdict, expected, actual: `took ${inWords(tookMs)}`, requests: [] }
}

/** Judges requests that no operation answers; nothing where there were none, or they are allowed. */
export function judgeUnmatched({ allow = {} }: Expect, { unmatched }: Watch): Finding | undefined {
  if (unmatched.count === 0 || allow.unmatched) return undefined
  const asked = unmatched.first.map(({ number, method, path }) => `#${number} ${method} ${path}`)
  const more = unmatched.count > asked.length ? `, and ${unmatched.count - asked.length} more` : ''
  return {
    verdict: 'fail',
    expected: 'every request has an operation',
    actual: `${unmatched.count} without: ${asked.join(', ')}${more}`,
    requests: unmatched.first.slice(0, maxListedNames).map(({ number }) => number),
  }
}
