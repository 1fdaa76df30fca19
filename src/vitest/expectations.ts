import { invariantNames } from '../scenario/invariant-names.ts'
import type { Expect } from '../judge/expectations/expect.ts'

/** What is expected of every test unless something else is said. */
export const ofEveryTest: Expect = { always: [...invariantNames], allow: { notExercised: true } }

/** Both together: lists add up, what is named is named anew, and of the rest the second counts. */
export function bothExpected(one: Expect, other: Expect): Expect {
  const entries = Object.entries(other).map(([name, value]) => {
    const before: unknown = one[name as keyof Expect]
    if (Array.isArray(before) && Array.isArray(value)) return [name, [...before, ...value]]
    const areObjects = isObject(before) && isObject(value)
    return [name, areObjects ? { ...before, ...value } : value]
  })
  return { ...one, ...(Object.fromEntries(entries) as Expect) }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
