import type { BoundedMap } from '../engine/bounded-map.ts'
import type { Activity } from '../engine/clock/activity.ts'
import type { ClockSettings } from '../engine/clock/clock-settings.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Namespace, Namespaces } from '../engine/namespace.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { Changes } from '../engine/tasks/changes.ts'
import type { EventLog } from '../engine/tasks/events.ts'
import type { OpenTasks } from '../engine/tasks/open-tasks.ts'
import type { Retention, Task, TaskStore } from '../engine/tasks/tasks.ts'
import type { MediaSource } from '../media/source.ts'
import type { Drawing } from '../pictures/composition/drawing.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import type { GatewayOptions, Quirks } from '../scenario/vocabulary/types.ts'
import type { Billing } from './accounts/billing.ts'
import type { BodyBudget } from './bodies/body.ts'
import type { CrashPlan } from './crash-plan.ts'
import type { Journal } from './journal.ts'
import type { MessageStore } from './messages.ts'
import type { ResultLinks } from './replies/result-links.ts'

/** Where changes are persisted, if anywhere. */
export interface Persistence {
  /** Why changes can't be persisted now; undefined if they can. */
  obstacle(): string | undefined
  /** Persists all changes. @returns why that failed, if it did. */
  keep(): string | undefined
}

/** Paths of APIs that clients expect but the gateway lacks: why, and what to do instead. */
export type OtherApis = readonly (readonly [pattern: RegExp, instead: string])[]

/** What APIs know of requests that no route serves. */
export interface UnservedRequests {
  readonly instead: OtherApis
  /** Requests that the gateway knows but does not implement, such as `POST /v1/images/variations`. */
  readonly unimplemented: readonly RegExp[]
  /** Folders in which clients look for what is in another: `/v1beta/openai/` for `/v1/`. */
  readonly folders: readonly (readonly [sought: string, served: string])[]
  /** The first folders of the APIs, such as `/v1`. */
  readonly roots: readonly string[]
}

/**
 * Everything that a simulator is made of and that outlives an exchange. It is made once. Each room takes the part that it
 * uses, such as `Pick<Core, 'tasks' | 'events'>`.
 */
export interface Core {
  /** Each room reads its own. */
  readonly options: GatewayOptions
  readonly quirks: Quirks
  /** The operations that it serves. */
  readonly operations: OperationTable
  readonly draws: Draws
  readonly events: EventLog
  readonly tasks: TaskStore
  readonly open: OpenTasks
  /** How many tasks a namespace stores, and for how long; undefined without a limit. */
  readonly retention: Retention | undefined
  readonly namespaces: Namespaces<GatewayNamespace>
  /**
   * Creates the clock of a namespace.
   * @param resumed settings that replace those of the simulator, for a clock that continues.
   */
  readonly createClock: (namespace: string, resumed?: Partial<ClockSettings>) => Clock
  /** What has changed since the state was stored. */
  readonly changes: Changes
  /** Counts the requests that have no complete response yet. */
  readonly activity: Activity
  readonly rules: Rules
  readonly throttles: Throttles
  readonly billing: Billing
  /** The links to results in responses. */
  readonly links: ResultLinks
  readonly media: MediaSource
  /** Headers and bodies, for the dashboard; undefined if they are not stored. */
  readonly messages: MessageStore | undefined
  /** The memory for the bodies of all requests. */
  readonly bodyBudget: BodyBudget
  /** Called with a message that users should know, once for each message. */
  readonly onWarning: (message: string) => void
  /** Called with the message of an internal error. */
  readonly onBug: (message: string) => void
  /** Finds the drawing behind a URL in a request, whichever API made it. */
  readonly findDrawing: (
    url: string,
    x: { readonly tasks: TaskStore; readonly namespace: Namespace; readonly now: number },
  ) => Drawing | undefined
  /** What operations have in common, such as the settings of both video APIs. Each value is made once, on first use. */
  readonly use: <Value>(create: (core: Core) => Value) => Value
}

/** How many refused requests a namespace expects to be retried. */
export const maxRetries = 1_000

/** How many idempotency keys of a namespace are stored. */
export const maxIdempotencyKeys = 10_000

/** An accepted submission with an idempotency key, and its response. */
export interface FirstReply {
  readonly identity: string
  readonly task: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A namespace with its journal. */
export interface GatewayNamespace extends Namespace {
  readonly journal: Journal
  /**
   * By request: when it may be retried after a refusal. A clock in mode `auto` assumes that clients wait until then. The
   * oldest are dropped, since some retries never come.
   */
  readonly retries: BoundedMap<number>
  /** The responses to submissions with an idempotency key. */
  readonly firstReplies: BoundedMap<FirstReply>
  /** At which requests the client crashes, if a run lets it. */
  crashes?: CrashPlan | undefined
}

/** The clock of a namespace, brought up to date, after expired tasks were removed. */
export function clockOf(
  core: Pick<Core, 'namespaces' | 'tasks' | 'retention' | 'changes'>,
  namespace: string,
): Clock {
  const { clock } = core.namespaces.get(namespace)
  clock.catchUp()
  core.changes.note('clock', namespace)
  expireTasks(core, namespace, clock.now())
  return clock
}

/** Removes the tasks of a namespace that are past their retention. */
export function expireTasks(
  { tasks, retention }: Pick<Core, 'tasks' | 'retention'>,
  namespace: string,
  now: number,
): void {
  if (retention) tasks.expire(namespace, now, retention)
}

/**
 * Forgets the tasks of a namespace, but not its time. Without tasks it counts as new: the same request gets the same id
 * and the same decisions again.
 */
export function clearTasks({ namespaces, tasks }: Pick<Core, 'namespaces' | 'tasks'>, name: string): void {
  if (!namespaces.has(name)) return
  const { clock, acceptances, attempts, retries, firstReplies } = namespaces.get(name)
  tasks.clear(name, clock.now())
  acceptances.clear()
  attempts.clear()
  retries.clear()
  firstReplies.clear()
  clock.forgetClients()
}

/**
 * Records a poll. In `auto`, a poll of an unfinished task is assumed to come one poll step after the previous one.
 * @returns whether the clock was advanced on that assumption.
 */
export function recordPoll(
  task: Task,
  { clock, now }: { readonly clock: Clock; readonly now: number },
  { tasks, changes }: Pick<Core, 'tasks' | 'changes'>,
): boolean {
  const isAssumed =
    clock.mode === 'auto' && !tasks.view(task, now).final && clock.assumePollStep(task.lastLook)
  tasks.look(task, isAssumed ? clock.now() : now)
  changes.note('look', task.record.namespace, task.id)
  return isAssumed
}
