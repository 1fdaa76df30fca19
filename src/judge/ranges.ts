import { formatDuration, parseDuration } from '../engine/clock/duration.ts'
import type { Count, DurationRange, Expect } from './expectations/expect.ts'

/**
 * Says at the beginning of a run what could not be judged at its end.
 * @throws {DurationError} for a duration that can't be read.
 */
export function checkDurations({ tasks = [], requests = [], sometimes = [], within }: Expect): void {
  const allTasks = [...tasks, ...sometimes.flatMap((each) => ('task' in each ? [each.task] : []))]
  const allRequests = [...requests, ...sometimes.flatMap((each) => ('request' in each ? [each.request] : []))]
  const ranges = [...allTasks.map(({ elapsed }) => elapsed), ...allRequests.map(({ ttfb }) => ttfb)]
  const bounds = ranges.flatMap((range) => [range?.min, range?.max])
  for (const duration of [within, ...bounds]) if (duration !== undefined) parseDuration(duration)
}

export function fitsCount(count: Count, actual: number): boolean {
  if (typeof count === 'number') return actual === count
  return actual >= (count.min ?? 0) && actual <= (count.max ?? Infinity)
}

export function fitsRange({ min, max }: DurationRange, actualMs: number): boolean {
  return (
    (min === undefined || actualMs >= parseDuration(min)) &&
    (max === undefined || actualMs <= parseDuration(max))
  )
}

/** A count in words: `3`, `at least 1`, `2 to 4`. */
export function countInWords(count: Count): string {
  if (typeof count === 'number') return String(count)
  const { min, max } = count
  if (max === undefined) return `at least ${min ?? 0}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

export function rangeInWords({ min, max }: DurationRange): string {
  if (max === undefined) return `at least ${min ?? '0s'}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

export const inWords = (durationMs: number): string => formatDuration(Math.max(0, durationMs))

/** How many of something: `1 request`, `3 requests`. */
export const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** How often: `never`, `once`, `3 times`. */
export const often = (count: number): string =>
  count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`
