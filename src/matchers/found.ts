import type { Count } from '../judge/expectations/expect.ts'
import { countInWords, fitsCount, often } from '../judge/ranges.ts'
import type { Trace } from './subject.ts'

/**
 * What Vitest's and Jest's `expect` hand to a matcher, as far as it is used.
 *
 * @example
 * function toHaveChatted(this: MatcherContext, gateway: unknown) {
 *   return greenroomMatchers.toHaveRequested.call(this, gateway, 'chat.complete')
 * }
 * expect.extend({ toHaveChatted })
 */
export interface MatcherContext {
  readonly isNot?: boolean
  equals(one: unknown, other: unknown, testers?: unknown[]): boolean
  readonly utils: {
    diff(expected: unknown, received: unknown): string | null | undefined
    printExpected(value: unknown): string
    printReceived(value: unknown): string
    readonly subsetEquality: unknown
    readonly iterableEquality: unknown
  }
}

/**
 * What a matcher says.
 *
 * @example
 * const toBeIdle = (gateway: Asked): Matched => {
 *   const { length } = gateway.journal()
 *   return { pass: length === 0, message: () => `expected no requests, received ${length}` }
 * }
 * toBeIdle(sim).pass // → true
 */
export interface Matched {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * How often something must be found; at least once where it isn't said.
 *
 * @example
 * const twiceAtLeast: HowOften = { times: { min: 2 } }
 * await client.makeVideo('a red kite')
 * expect(sim).toHavePolled({}, twiceAtLeast)
 */
export interface HowOften {
  readonly times?: Count
}

/**
 * Looks for traces that are as expected: those fields that are named must be so, deep inside too.
 * @param what the matcher's name, and what it looks for, in the plural.
 */
export function found(
  context: MatcherContext,
  what: { matcher: string; of: string },
  traces: readonly Trace[],
  expected: object | undefined,
  { times }: HowOften,
): Matched {
  if (times !== undefined && typeof times !== 'number' && !isPlain(times)) {
    throw new TypeError(
      `Failed to count ${what.of}: times is ${JSON.stringify(times)}. Use a number, or { min, max }.`,
    )
  }
  const { subsetEquality, iterableEquality } = context.utils
  const isAsExpected = (received: unknown, wanted: unknown): boolean =>
    context.equals(received, wanted, [iterableEquality, subsetEquality])
  const fitting = traces.filter(({ value }) => expected === undefined || isAsExpected(value, expected))
  const pass = times === undefined ? fitting.length > 0 : fitsCount(times, fitting.length)
  const message = (): string => {
    const { printExpected, diff } = context.utils
    const wanted = expected === undefined ? '' : ` like ${printExpected(expected)}`
    const howOften = times === undefined ? 'at least once' : `${timesInWords(times)}`
    const lines = [
      `expect(gateway)${context.isNot ? '.not' : ''}.${what.matcher}()`,
      '',
      `Expected ${context.isNot ? 'not ' : ''}${howOften}: ${what.of}${wanted}`,
      `Received ${often(fitting.length)}, of ${traces.length} ${what.of} in all${namesOf(fitting)}`,
    ]
    const nearest = fitting.length > 0 || expected === undefined ? undefined : nearestOf(traces, expected)
    if (nearest) {
      const [shown, received] = aligned(expected, nearest.value)
      lines.push('', `The nearest is ${nearest.name}:`, '', diff(shown, received) ?? '')
    }
    return lines.join('\n')
  }
  return { pass, message }

  /** The one of which the most fields are as expected; of equals the latest. */
  function nearestOf(all: readonly Trace[], wanted: object): Trace | undefined {
    const scored = all.map((each) => ({ each, score: likeness(wanted, each.value) }))
    return scored.toSorted((one, other) => one.score - other.score).at(-1)?.each
  }

  function likeness(wanted: object, received: object): number {
    return Object.entries(wanted).filter(([key, value]) => isAsExpected(field(received, key), value)).length
  }

  /** Both sides of a difference: what fits is the same on both, and what nobody asked for is left out. */
  function aligned(wanted: unknown, received: unknown): [unknown, unknown] {
    if (isPlain(wanted) && typeof received === 'object' && received !== null) {
      const pairs = Object.entries(wanted).map(
        ([key, value]) => [key, ...aligned(value, field(received, key))] as const,
      )
      return [
        Object.fromEntries(pairs.map(([key, shown]) => [key, shown])),
        Object.fromEntries(pairs.map(([key, , other]) => [key, other])),
      ]
    }
    return isAsExpected(received, wanted) ? [received, received] : [wanted, received]
  }
}

function field(value: object, key: string): unknown {
  return (value as { readonly [name: string]: unknown })[key]
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function timesInWords(times: Count): string {
  return typeof times === 'number' ? often(times) : `${countInWords(times)} times`
}

/** The first few by name. */
function namesOf(fitting: readonly Trace[]): string {
  if (fitting.length === 0) return ''
  const names = fitting.slice(0, 5).map(({ name }) => name)
  return `: ${names.join(', ')}${fitting.length > 5 ? ', …' : ''}`
}
