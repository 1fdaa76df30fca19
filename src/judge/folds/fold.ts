import type { JournalEntry, SentRequest } from '../../gateway/journal.ts'
import type { Finding } from '../judged.ts'
import type { WatchedTask, WatchedTasks } from '../watched-tasks.ts'

/** What an expectation counts while the journal grows. It keeps numbers, not entries. */
export interface Fold {
  /** @param sent returns what the client sent; missing for a request that came before the watch. */
  admitted?(entry: JournalEntry, task: WatchedTask | undefined, sent?: () => SentRequest): void
  settled?(entry: JournalEntry, task: WatchedTask | undefined): void
  /** What there is to say by now. */
  finding(end: End): Finding
}

/** The end of a run, or where it stands. */
export interface End {
  readonly now: number
  /** The tasks that requests showed. */
  readonly tasks: WatchedTasks
  /** Exchanges whose answers have not gone yet. */
  readonly open: Iterable<JournalEntry>
}
