import { DurationError, parseDuration } from '../../engine/clock/duration.ts'

/** A period of virtual time. Its end is exclusive. */
export interface Window {
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * Reads `30s..55s`, `1m..` or `..10s`.
 * @throws {DurationError} for another format, and for an end before the start.
 */
export function parseWindow(text: string): Window {
  const [from, until, ...rest] = text.split('..')
  if (until === undefined || rest.length > 0) {
    throw new DurationError(`"${text}" is not a window: write it as 30s..55s, 1m.. or ..10s`)
  }
  const fromMs = from!.trim() === '' ? 0 : parseDuration(from!.trim())
  const untilMs = until.trim() === '' ? Infinity : parseDuration(until.trim())
  if (untilMs > fromMs) return { fromMs, untilMs }
  throw new DurationError(`"${text}" is not a window: it ends before it begins`)
}

/** @throws {DurationError} for anything but a number per duration, such as `1/10s`. */
export function readRefill(text: string): { tokens: number; everyMs: number } {
  const [, tokens, every] = /^\s*(\d{1,6})\s*\/\s*(\S+)\s*$/.exec(text) ?? []
  const everyMs = every === undefined ? 0 : parseDuration(/^\d/.test(every) ? every : `1${every}`)
  if (Number(tokens) > 0 && everyMs > 0) return { tokens: Number(tokens), everyMs }
  throw new DurationError(`"${text}" is not a refill: write it as 1/10s`)
}
