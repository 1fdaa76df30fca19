// The shapes of what the page receives. They are those of the control API, so they can't drift from it.
import type { RequestFields } from '../../engine/tasks/plan.ts'
import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { KeyUsage } from '../../gateway/accounts/account.ts'
import type { InvariantState } from '../../control/core.ts'
import type { ListedRule, RuleReason } from '../../scenario/rules/rule.ts'
import type { StreamBatch, StreamHello } from '../../control/events/stream-events.ts'
import type { Sample } from '../../apis/define/api.ts'
import type { StoredMessage } from '../../gateway/messages.ts'
import type { TaskSummary } from '../../control/tasks.ts'

/** A task as the stream sends it. The page computes the present state from the timeline. */
export interface Task extends Pick<
  TaskSummary,
  'id' | 'operation' | 'kind' | 'makes' | 'reason' | 'submittedAt' | 'ends'
> {
  readonly request: RequestFields
  /** The reason is that of a failed end, past or future. */
  readonly timeline: readonly Readonly<TaskSummary['timeline'][number]>[]
}

/** A request and its response, without the reasons of rules: those are loaded one by one. */
export type Entry = Omit<JournalEntry, 'reasons'>

export type { ClockStatus, InvariantState, KeyUsage, ListedRule, RuleReason, Sample }

/** What has changed since the last message. Calls to the control API are put into the same form. */
export interface Batch extends Omit<StreamBatch, 'tasks'> {
  readonly tasks?: readonly Task[]
}

/** The first message of a stream. */
export type Hello = Pick<StreamHello, 'version' | 'seed' | 'olderTasks'>

/** One side of an exchange, as it was sent. */
export type Message = StoredMessage

/** What the inspector loads of one exchange. */
export interface Details {
  reasons: readonly RuleReason[]
  request?: Message
  /** Null while there is none. */
  reply?: Message | null
}
