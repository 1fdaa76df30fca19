import type { Draws } from '../engine/random/draws.ts'
import type { Namespace } from '../engine/namespace.ts'
import type { Operation } from '../engine/operations/operations.ts'
import type { TaskRecord } from '../engine/tasks/plan.ts'
import type { WorkBudget } from '../engine/work-budget.ts'
import type { Task, TaskStore } from '../engine/tasks/tasks.ts'
import type { RuleDecision } from '../scenario/rules/rule.ts'
import type { MediaSource } from '../media/source.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Billing } from './accounts/billing.ts'
import type { JsonObject } from './bodies/json.ts'
import type { KeyRecord } from './accounts/keys.ts'
import type { GatewayError } from './replies/errors.ts'
import type { Incoming } from './incoming.ts'
import type { JournalEntry } from './journal.ts'
import type { Reply } from './replies/reply.ts'

/**
 * One operation on the wire. Surfaces describe their routes with this; the gateway does the rest in the same
 * order for all of them.
 */
export interface Route<Prepared = unknown, Checked = unknown> {
  readonly operation: Operation
  readonly methods: readonly string[]
  /** Such as `/v1/videos/{task_id}/content`. */
  readonly path: string
  /** Other paths to the same. */
  readonly aliases?: readonly string[]
  /** The option that brings it, such as `video: { listAndDelete: true }`, where that isn't set: then nobody serves it. */
  readonly broughtBy?: string
  /** Which task the request concerns. An unknown one, another surface's, or another namespace's, is refused. */
  readonly task?: NamedTask
  /** Whether a request without any key may pass; it belongs to the namespace of its task. */
  readonly opensWithoutKey?: (query: string) => boolean
  /** Whether nobody looks at keys here: one that opens nothing is as good as none. */
  readonly isPublic?: boolean
  /** Where a request may carry its key beside `Authorization`; empty when it carries none there. */
  readonly credential?: (incoming: Incoming, query: string) => string
  /** Whether the rate limit counts its requests. */
  readonly isLimited?: boolean
  /** Puts a refusal into this route's own envelope. */
  readonly refuse?: (
    error: GatewayError,
    requestId: string,
    asked: { readonly incoming: Incoming; readonly credential: string; readonly query: string },
  ) => Reply
  /** The refusal of a body that is no JSON object, where it isn't the usual one. */
  readonly malformed?: () => GatewayError
  /**
   * What a request with a body needs before it can be decided: decoded pictures, digests. It changes nothing that
   * a client could notice. What is there at once is given at once. Routes without it read no body.
   */
  readonly prepare?: (
    body: JsonObject,
    media: MediaSource,
    path: string,
  ) => MaybePromise<PreparedBody<Prepared>>
  /**
   * Checks the request. Pure: it is thrown away when a rule answers instead; and of a request with a body, which concerns
   * no task, it depends on target, body and `prepared` alone: it is kept for whoever asks the same again, and never changed.
   */
  readonly validate: (request: RequestFacts<Prepared>, task: Task | undefined) => Checked
  /** The directives that its prompt may have, such as `fail` for `[[fail: reason]]`; none where they are not obeyed. */
  readonly directives?: readonly string[]
  /** Carries it out: the only step that may change anything. Synchronous. */
  readonly respond: (checked: Checked, context: Context) => Reply
  /** What rules and journal may know of the request. */
  readonly describe?: (
    body: JsonObject,
    task: Task | undefined,
    params: Readonly<Record<string, string>>,
  ) => { model?: string; prompt?: string }
}

/** A task that a request names, in its path or in its body. */
export interface NamedTask {
  /** The path's parameter. */
  readonly parameter?: string
  /** Where it isn't in the path: what the body names. Requests like that make tasks of their own. */
  readonly inBody?: (body: JsonObject) => string | undefined
  /** The name of the lifecycle that such tasks have: one of another surface is none here. */
  readonly lifecycle: string
  /** The refusal where there is no such task. */
  readonly unknown: (body: JsonObject) => GatewayError
  /** Whether the request is a look at the task, as polls are. */
  readonly looks: boolean
  /** Whether only the key that submitted the task may name it here; to other keys it is unknown. */
  readonly isOwnersOnly?: boolean
}

/** What `prepare` made of a body. */
export interface PreparedBody<Prepared> {
  readonly prepared: Prepared
  /** The fields that the request means, with pictures replaced by their digests: its identity. */
  readonly fields: JsonObject
}

/** What is known of a request before anything is decided. */
export interface RequestFacts<Prepared = unknown> {
  readonly incoming: Incoming
  readonly params: Readonly<Record<string, string>>
  readonly query: string
  /** The parsed body; empty for requests without one. */
  readonly body: JsonObject
  readonly prepared: Prepared
  /** What the body asks for, as a hash, with pictures replaced by their digests. */
  readonly identity: string
  /** What all that is done for the request may cost together. */
  readonly work: WorkBudget
}

/** What a surface has at hand when it answers. */
export interface Context {
  readonly request: RequestFacts
  readonly namespace: Namespace
  /** The instant of admission. */
  readonly now: number
  readonly draws: Draws
  readonly tasks: TaskStore
  /** The task that the path names. Set for every route with `task`. */
  readonly task: Task | undefined
  /** What things cost, and who has spent what. */
  readonly billing: Billing
  /** The key that the request came with, and what is known of it. */
  readonly credential: string
  readonly key: KeyRecord | undefined
  /** How often the same request came before: with its identity the key of the dice. */
  readonly attempt: number
  /** Notes a look at a task that the path doesn't name; in `auto` that may move time. Returns the instant behind it. */
  readonly look: (task: Task) => number
  /** The request's body as the record of a task keeps it; undefined where no rule matches on it later. */
  readonly bodyToKeep: TaskRecord['body']
  /** What the rules decided. */
  readonly decision: RuleDecision
  /** What links begin with. */
  readonly origin: string
  /** The exchange's entry, for the surface to note what it showed. */
  readonly journal: JournalEntry
}
