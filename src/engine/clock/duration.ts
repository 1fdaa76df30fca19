import { recognizeCopies } from '../shared-error.ts'

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const wholeDuration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/
const eachPart = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g

/** A hundred years: far below the limit of exact milliseconds. */
export const maxDurationMs = 100 * 365 * unitsMs['d']!

/**
 * An invalid duration. The message gives examples of valid ones.
 *
 * @example
 * await sim.clock.advance('soon') // throws DurationError: "soon" is not a duration: write it as "500ms", …
 */
export class DurationError extends Error {
  static {
    recognizeCopies(this, 'DurationError')
  }

  override name = 'DurationError'
}

/**
 * Parses a duration as files, flags and prompts contain it.
 *
 * @param text such as `250ms`, `5s`, `1m30s` or `2h`; a number is milliseconds.
 * @returns whole milliseconds.
 * @throws {DurationError} for anything else, for negative numbers, and above a hundred years.
 */
export function parseDuration(text: string | number): number {
  if (typeof text === 'number') {
    if (Number.isFinite(text) && text >= 0 && text <= maxDurationMs) return Math.round(text)
    throw new DurationError(`${text} is not a duration: give milliseconds from 0 to ${maxDurationMs}`)
  }
  if (typeof text !== 'string') {
    const value = shorten(JSON.stringify(text) ?? String(text))
    throw new DurationError(
      `${value} is not a duration: write it as "500ms", "5s", "1m30s" or "2h", or give milliseconds`,
    )
  }
  const trimmed = text.trim()
  if (!wholeDuration.test(trimmed)) {
    throw new DurationError(
      `"${shorten(text)}" is not a duration: write it as "500ms", "5s", "1m30s" or "2h"`,
    )
  }
  let totalMs = 0
  for (const [, amount, unit] of trimmed.matchAll(eachPart)) totalMs += Number(amount) * unitsMs[unit!]!
  if (totalMs > maxDurationMs) {
    throw new DurationError(`"${shorten(text)}" is longer than a hundred years: give a shorter duration`)
  }
  return Math.round(totalMs)
}

/** Writes milliseconds the way {@link parseDuration} reads them: `90000` is `1m30s`. Infinity is `forever`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`
  if (durationMs === Infinity) return 'forever'
  let rest = Math.round(durationMs)
  if (rest === 0) return '0s'
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const unitMs = unitsMs[unit]!
    const amount = Math.floor(rest / unitMs)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * unitMs
  }
  return text
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** Converts an instant in milliseconds to whole seconds since 1970. */
export function toUnixSeconds(instant: number): number {
  return Math.floor(instant / 1_000)
}
