import type { Expect } from './expect.ts'
import type { Finding } from '../judged.ts'
import type { Count } from './expect.ts'
import { countInWords, fitsCount, many, often } from '../ranges.ts'

/** How often a rule or limit concerned a request, and how often it fired. */
export interface RuleCount {
  readonly id: string
  readonly eligible: number
  readonly fired: number
  /** Whether it may never fire. */
  readonly optional?: boolean
}

/** Judges rules by how often they fired; those that are not named must have fired, unless they are optional. */
export function judgeRules(
  { rules = {}, allow = {} }: Expect,
  counts: readonly RuleCount[],
): [path: (string | number)[], finding: Finding][] {
  const named = Object.entries(rules).map(([id, { fired }]): [string[], Finding] => {
    const actual = counts.find((each) => each.id === id)
    const expected = `rule ${id} fires ${oftenExpected(fired)}`
    const verdict = actual && fitsCount(fired, actual.fired) ? 'pass' : 'fail'
    return [['rules', id], { verdict, expected, actual: told(actual), requests: [] }]
  })
  const unused = counts.filter(
    ({ id, fired, optional }) => !Object.hasOwn(rules, id) && fired === 0 && !optional && !allow.unusedRules,
  )
  const unnamed = unused.map((count): [string[], Finding] => [
    ['rules', count.id],
    {
      verdict: 'fail',
      expected: `rule ${count.id} fires at least once, or is optional`,
      actual: told(count),
      requests: [],
    },
  ])
  return [...named, ...unnamed]
}

function told(count: RuleCount | undefined): string {
  if (!count) return 'there is no such rule'
  const { fired, eligible } = count
  return `${fired === 0 ? 'never fired' : `fired ${often(fired)}`}, concerned ${many(eligible, 'request')}`
}

function oftenExpected(count: Count): string {
  if (typeof count === 'number') return often(count)
  return count.min === 1 && count.max === undefined ? 'at least once' : `${countInWords(count)} times`
}
