// The shapes of what the page receives. They are those of the control API, so they can't drift from it.
import type { RequestFields } from '../../engine/tasks/plan.ts'
import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { KeyUsage } from '../../gateway/accounts/account.ts'
import type { InvariantReport } from '../../judge/invariants/invariant.ts'
import type { ListedRule, RuleReason } from '../../scenario/rules/rule.ts'
import type { TaskSummary } from '../../control/tasks.ts'

/** A task as the stream sends it. The page computes the present state from the timeline. */
export interface Task extends Pick<TaskSummary, 'id' | 'operation' | 'reason' | 'submittedAt'> {
  readonly request: RequestFields
  /** The reason is that of a failed end, past or future. */
  readonly timeline: readonly { readonly status: string; readonly from: number; readonly reason?: string }[]
}

/** A request and its response, without the reasons of rules: those are loaded one by one. */
export type Entry = Omit<JournalEntry, 'reasons'>

export type { ClockStatus, InvariantReport, KeyUsage, ListedRule, RuleReason }

/** What has changed since the last message. */
export interface Batch {
  clock?: ClockStatus
  tasks?: Task[]
  entries?: Entry[]
  /** Ids of removed tasks. */
  gone?: string[]
  cleared?: 'tasks' | 'journal' | readonly ('tasks' | 'journal')[]
  rules?: ListedRule[]
  usage?: KeyUsage[]
  verdict?: InvariantReport[]
}

/** The first message of a stream. */
export interface Hello {
  epoch: string
  version: string
  seed: string
  tasks: number
  entries: number
  /** How many older tasks and entries the snapshot leaves out. */
  older?: { tasks?: number; entries?: number }
}

/** One side of an exchange, as it was sent. */
export interface Message {
  line: string
  headers: [string, string][]
  body: string
  truncated: boolean
}

/** What the inspector loads of one exchange. */
export interface Details {
  reasons: readonly RuleReason[]
  request?: Message
  reply?: Message
}
