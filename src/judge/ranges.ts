import { pluralize } from '../engine/wording.ts'
import { formatDuration, parseDuration } from '../engine/clock/duration.ts'
import type { Verdict } from './verdict.ts'
import type { Count, DurationRange } from '../scenario/vocabulary/types.ts'

export function fitsCount(count: Count, actual: number): boolean {
  if (typeof count === 'number') return actual === count
  return actual >= (count.min ?? 0) && actual <= (count.max ?? Infinity)
}

/** Formats a count: `3`, `at least 1`, `2 to 4`. */
export function formatCount(count: Count): string {
  return typeof count === 'number' ? String(count) : formatRange(count, 0)
}

/**
 * Parses a range of durations once, before it is compared.
 * @throws {DurationError} for an invalid duration.
 */
export function parseDurationRange(
  range: DurationRange | undefined,
): ((actualMs: number) => boolean) | undefined {
  if (range === undefined) return undefined
  const minMs = parseDuration(range.min ?? 0)
  const maxMs = range.max === undefined ? Infinity : parseDuration(range.max)
  return (actualMs) => actualMs >= minMs && actualMs <= maxMs
}

/** Formats a range: `at least 5s`, `at most 10s`, `5s to 10s`. */
export function formatRange<T extends string | number>(
  { min, max }: { min?: T | undefined; max?: T | undefined },
  zero: T,
): string {
  if (max === undefined) return `at least ${min ?? zero}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

export const formatMs = (durationMs: number): string => formatDuration(Math.max(0, durationMs))

/** Formats totals: `12 requests in 45s of virtual time, for $0.08`. Without a price if they cost nothing. */
export function formatTotals({
  requests,
  elapsedMs,
  spent,
}: Pick<Verdict, 'requests' | 'elapsedMs' | 'spent'>): string {
  const cost = spent ? `, for ${formatDollars(spent)}` : ''
  return `${pluralize(requests, 'request')} in ${formatMs(elapsedMs)} of virtual time${cost}`
}

/** Formats dollars: `$0.4`. */
export const formatDollars = (dollars: number): string => `$${dollars}`

/** `never`, `once`, `3 times`. */
export const formatTimes = (count: number): string =>
  count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`

/** Formats the counts of faults: `garbage ×1, drip ×3`. */
export function formatFaults(counts: Iterable<readonly [fault: string, count: number]>): string {
  return [...counts].map(([fault, count]) => `${fault} ×${count}`).join(', ')
}

/** The maximum number of listed requests, tasks or names. */
export const maxListed = 5
