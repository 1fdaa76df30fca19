import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import type { KeyUsage } from '../../gateway/accounts/account.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { ListedRule } from '../../scenario/rules/rule.ts'
import type { InvariantState } from '../core.ts'
import type { TaskSummary } from '../tasks.ts'

/**
 * Changes of a namespace. Each task and entry occurs once, in its present state.
 *
 * @example
 * await client.submitVideo('a red kite')
 * const batches: StreamBatch[] = []
 * for await (const { event, data } of sim.events()) {
 *   if (event === 'batch') batches.push(data)
 *   if (event === 'ready') break
 * }
 * batches.length // → 2
 */
export interface StreamBatch {
  /** What was deleted before the other changes of the batch. */
  readonly cleared?: 'tasks' | 'journal'
  /** Tasks that are new, or were changed from outside. Their timelines contain all later changes. */
  readonly tasks?: readonly TaskSummary[]
  /** The ids of tasks that were removed. */
  readonly gone?: readonly string[]
  /** Exchanges that began or ended. */
  readonly entries?: readonly Omit<JournalEntry, 'reasons'>[]
  readonly rules?: readonly ListedRule[]
  readonly usage?: readonly KeyUsage[]
  readonly verdict?: readonly InvariantState[]
  readonly clock?: ClockStatus
}

/**
 * The first message of a stream.
 *
 * @example
 * let hello: StreamHello | undefined
 * for await (const { event, data } of sim.events()) {
 *   if (event === 'hello') hello = data
 *   if (event === 'ready') break
 * }
 * hello // → { protocol: 1, namespace: 'default', seed: '1', tasks: 0, … }
 */
export interface StreamHello {
  /** The version of this format. It grows with breaking changes. */
  readonly protocol: 1
  /** The first part of the ids of this stream. A different one means another process, or a restarted stream. */
  readonly epoch: string
  readonly namespace: string
  /** The version of greenroom. */
  readonly version: string
  readonly seed: string
  /** How many tasks and exchanges follow. */
  readonly tasks: number
  readonly entries: number
  /** How many older tasks are omitted. */
  readonly olderTasks: number
}

/**
 * A message of the stream. First `hello`, then batches with the present state, then `ready`; from then on, batches of
 * changes. A reader that comes back with the id of its last message gets `resumed`, then the missed messages. After a reset
 * or a restored snapshot, the stream starts over with `hello`.
 *
 * @example
 * const events: StreamEvent[] = []
 * for await (const each of sim.events()) {
 *   events.push(each)
 *   if (each.event === 'ready') break
 * }
 * events.map(({ event }) => event) // → ['hello', 'ready']
 */
export type StreamEvent =
  | { readonly event: 'hello'; readonly data: StreamHello }
  | { readonly event: 'batch'; readonly id?: string; readonly data: StreamBatch }
  | {
      readonly event: 'ready'
      readonly id: string
      readonly data: Required<Pick<StreamBatch, 'clock' | 'rules' | 'usage' | 'verdict'>>
    }
  | { readonly event: 'resumed'; readonly data: { readonly missed: number } }

/** A message before it is parsed. */
export interface StreamMessage {
  readonly event: StreamEvent['event']
  /** The place from which a later reader can continue. */
  readonly id?: string
  /** The data, as JSON. */
  readonly json: string
}
