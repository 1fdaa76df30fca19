import { parseDuration } from '../../engine/clock/duration.ts'
import type { Respond } from './rule.ts'

/** What every door says itself, by what it sends. */
const framing = ['content-length', 'transfer-encoding']

/** Why a header can't be sent, as the end of a sentence; undefined when it can. */
export function headerProblem(name: string, value: string): string | undefined {
  if (framing.includes(name.toLowerCase())) {
    return 'is told by what is sent: use a fault such as truncate or malformed-chunk'
  }
  // No door could write others, and a line end would begin another header.
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'must be one line of Latin letters and signs'
}

/**
 * Checks what a rule answers.
 * @param fail told what can't be, in a sentence.
 * @throws {DurationError} for a `retryAfter` that can't be read.
 */
export function checkRespond(
  { status, headers = {}, retryAfter }: Respond,
  fail: (message: string) => never,
): void {
  if (status !== undefined) checkStatus(status, fail)
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value)
    if (problem !== undefined) fail(`the header ${name} ${problem}.`)
  }
  if (retryAfter !== undefined && retryAfter !== 'auto') parseDuration(retryAfter)
}

/** As {@link checkRespond}, of a status alone. */
export function checkStatus(status: number, fail: (message: string) => never): void {
  if (!(Number.isInteger(status) && status >= 200 && status <= 599)) {
    fail(`the status is ${status}. Use 200 to 599.`)
  }
}
