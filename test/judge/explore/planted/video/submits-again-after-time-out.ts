import { careful, Refused } from '../video.ts'

/** Retries whatever was not refused, a submission without an answer too: it is paid for twice. */
export const habits = {
  ...careful,
  timeoutMs: 10_000,
  canRetry: (error: unknown) => !(error instanceof Refused) || error.status === 429 || error.status >= 500,
}
