import type { ApiClient } from './api-client.ts'
import { Failed } from './errors.ts'

/** What a look at a task shows. */
export interface Look<Record> {
  readonly record: Record
  readonly state: 'going' | 'succeeded' | 'failed'
  /** Why it failed. */
  readonly reason?: string | undefined
}

/**
 * Looks at a task until it has ended (§4.2): at once, and then in the same intervals. A look that is lost is repeated,
 * with longer waits; it never leads to another submission.
 *
 * @throws {Failed} when the task failed; {GaveUp} when it takes too long; {Refused} when nobody may look.
 */
export async function pollUntilEnded<Record>(
  caller: ApiClient,
  look: () => Promise<Look<Record>>,
): Promise<Record> {
  const { pollEveryMs } = caller.settings
  const retrying = { firstMs: pollEveryMs, maxMs: 2 * pollEveryMs, retries: Infinity }
  for (;;) {
    const { record, state, reason } = await caller.retrying(look, retrying)
    if (state === 'succeeded') return record
    if (state === 'failed') throw new Failed(reason || 'the task failed without a reason')
    await caller.sleep(pollEveryMs)
  }
}
