import { DurationError, parseDuration } from '../engine/duration.ts'

/** A rate, read: so many tokens in such a time. */
export interface Refill {
  readonly tokens: number
  readonly everyMs: number
}

/**
 * Reads how fast a bucket fills: `1/10s` is one token each ten seconds, `5/1m` five a minute.
 * @throws {DurationError} for anything else.
 */
export function parseRefill(text: string): Refill {
  const [, tokens, every] = /^\s*(\d{1,6}(?:\.\d{1,6})?)\s*\/\s*(\S+)\s*$/.exec(text) ?? []
  if (tokens === undefined || !(Number(tokens) > 0)) {
    throw new DurationError(
      `"${text.slice(0, 40)}" is no rate: write it as 1/10s, which is one each ten seconds`,
    )
  }
  const everyMs = parseDuration(/^[a-z]/.test(every!) ? `1${every}` : every!)
  if (everyMs > 0) return { tokens: Number(tokens), everyMs }
  throw new DurationError(`"${text}" is no rate: its time must be longer than nothing, as in 1/10s`)
}
