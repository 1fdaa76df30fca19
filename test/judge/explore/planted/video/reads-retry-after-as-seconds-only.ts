import { careful, Refused } from '../video.ts'

/** A Retry-After that is a date becomes NaN, and NaN becomes no wait at all. */
export const habits = {
  ...careful,
  delayMs: (failures: number, error: unknown) =>
    error instanceof Refused && error.retryAfter !== null
      ? Number(error.retryAfter) * 1_000 || 0
      : 1_250 * 2 ** failures,
}
