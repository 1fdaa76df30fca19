import { requestConditions as listed } from './lists.ts'
import type { RequestCondition, SettledRequest } from './condition.ts'

type Listed = (typeof listed)[number]

/** The conditions, in the order of their places. */
const conditions = listed.toSorted((one, other) => one.place - other.place) as readonly RequestCondition[]

/** Their keys of `expect.requests`. */
export const conditionSchemas = Object.fromEntries(conditions.map(({ name, schema }) => [name, schema])) as {
  readonly [Condition in Listed as Condition['name']]: Condition['schema']
}

/** A condition with the value that an expectation has for it. */
interface Wanted {
  readonly condition: RequestCondition
  readonly value: unknown
}

function wantedBy(expectation: object): readonly Wanted[] {
  return conditions.flatMap((condition) => {
    const value = (expectation as Readonly<Record<string, unknown>>)[condition.name]
    return value === undefined ? [] : { condition, value }
  })
}

/** Returns whether a request meets the conditions of an expectation. */
export function conditionsOf(expectation: object): (request: SettledRequest) => boolean {
  const wanted = wantedBy(expectation)
  return (request) => wanted.every(({ condition, value }) => condition.isMet(value as never, request))
}

/** The words of a finding for the conditions of an expectation. */
export function expectedWords(expectation: object): readonly string[] {
  return wantedBy(expectation).map(({ condition, value }) => condition.expected(value as never))
}

/** The words of a finding for a request. */
export function actualWords(request: SettledRequest): readonly string[] {
  return conditions.flatMap(({ actual }) => actual?.(request) ?? [])
}
