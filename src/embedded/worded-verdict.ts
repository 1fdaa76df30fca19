import { recognizeCopies } from '../engine/shared-error.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { failureReport } from '../judge/reports/failure.ts'
import type { Verdict } from '../judge/verdict.ts'

/**
 * A verdict with a message about its failures, for any test runner.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const { passed, message }: WordedVerdict = await sim.verdict()
 * passed // → true
 * message // → ''
 */
export interface WordedVerdict extends Verdict {
  /**
   * The message: the failed expectations, the timelines of the tasks and the offending requests; empty if the verdict
   * passed.
   */
  readonly message: string
}

/**
 * Thrown if the client of a test misbehaved. The message is the report.
 *
 * @example
 * const error = new VerdictError('the client polled after the end')
 * error.stack // → 'VerdictError: the client polled after the end'
 */
export class VerdictError extends Error {
  static {
    recognizeCopies(this, 'VerdictError')
  }

  override name = 'VerdictError'

  constructor(message: string) {
    super(message)
    // The call stack would be noise.
    this.stack = `${this.name}: ${message}`
  }
}

/** @param entries the exchanges of the run. */
export function withMessage(verdict: Verdict, entries: readonly JournalEntry[]): WordedVerdict {
  return { ...verdict, message: verdict.passed ? '' : describeFailures(verdict, entries) }
}

/** The text that a failed test prints about its client. */
export function describeFailures(verdict: Verdict, entries: readonly JournalEntry[]): string {
  return `client check failed (seed ${verdict.seed})\n\n${failureReport(verdict, entries)}`
}

/** @throws {VerdictError} if the verdict failed. */
export function assertPassed({ passed, message }: WordedVerdict): void {
  if (!passed) throw new VerdictError(message)
}
