import type { JournalEntry } from '../gateway/journal.ts'

/**
 * Whether it can be seen how long the client waited before a request. In mode `auto`, time that moves by assumption
 * says nothing of the client.
 */
export const isWaitSeen = ({ timing, assumed }: JournalEntry): boolean => timing !== 'assumed' && !assumed

export const unseenWaits =
  'no client slept on the clock, so how long it waits is assumed, not seen: give it clock.sleep as its sleep'

/**
 * The longest that the client can have waited between two requests: what an accusation of haste must be measured by.
 * On the host's clock where that one counts (simulators §5.8); on the virtual clock else, where a client that truly
 * waits has waited too.
 */
export function maxWaitMs(before: JournalEntry, next: JournalEntry): number {
  const wallMs = next.wallAt - before.wallAt
  return next.timing === 'wall' ? wallMs : Math.max(next.at - before.at, wallMs)
}

/** The shortest that it can have waited, from the end of the answer before: what slowness must be measured by. */
export function shortestWaitMs(before: JournalEntry, next: JournalEntry): number {
  const answeredAt = before.settledAt ?? before.at
  const answerMs = answeredAt - before.at
  const waitMs = next.timing === 'wall' ? next.wallAt - before.wallAt - answerMs : next.at - answeredAt
  return Math.max(0, waitMs)
}
