import type { Journal, JournalEntry } from '../../gateway/journal.ts'

/** So many refusals without time moving: nobody who waits at all comes that far. */
const mostInARow = 1_000

/**
 * Watches for a client that asks on and on while time stands still: without waiting, or waiting on a clock of its own,
 * so that what it waits for never comes.
 *
 * @returns what ends it.
 */
export function watchForRush(journal: Pick<Journal, 'subscribe'>, found: (why: string) => void): () => void {
  let at = -1
  let count = 0
  return journal.subscribe((entry, what) => {
    if (what !== 'settled') return
    if (!wasRefused(entry) || entry.at !== at) count = 0
    at = entry.at
    if (!wasRefused(entry) || ++count < mostInARow) return
    found(
      `${mostInARow} requests in a row were refused at one instant, the last of them #${entry.number} ${entry.method} ` +
        `${entry.path}: the client doesn't wait before it tries again, or not on this clock. Let it sleep by ` +
        'POST /_greenroom/clock/sleep, put clock: { assume: [poll, retry-after] } into the file, or use --clock real.',
    )
  })
}

function wasRefused({ status, fault }: JournalEntry): boolean {
  return fault !== null || status === 429 || status >= 500 || status === 0
}
