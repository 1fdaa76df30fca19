import type { Clock } from '../engine/clock/clock.ts'
import type { Waiting } from '../engine/clock/waiters.ts'
import type { Role } from '../engine/operations/facts.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { TaskRecord } from '../engine/tasks/plan.ts'
import type { Task, TaskStore } from '../engine/tasks/tasks.ts'
import type { TaskView } from '../engine/tasks/timeline.ts'
import type { MediaSource } from '../media/source.ts'
import { noDecision, type RuleDecision } from '../scenario/rules/rule.ts'
import type { Account, Charge } from './accounts/account.ts'
import type { Billing } from './accounts/billing.ts'
import type { KeyRecord } from '../scenario/vocabulary/types.ts'
import type { JsonObject } from './bodies/json.ts'
import {
  recordPoll,
  type Core,
  type GatewayNamespace,
  type Persistence,
  type UnservedRequests,
} from './core.ts'
import type { Caller, Callers, KeyForm } from './accounts/keys.ts'
import type { DirectiveAdvice, DirectiveSupport } from './directive-advice.ts'
import { headerOf, type GatewayRequest } from './request.ts'
import { noteSettlement, type ExchangeOutcome, type JournalEntry, type Outcome } from './journal.ts'
import type { MaybePromise } from '../engine/maybe-promise.ts'
import type { BodyText, ExchangeMessages } from './messages.ts'
import { asGatewayError, type GatewayError } from './replies/errors.ts'
import type { Reply } from './replies/reply.ts'
import type { CallbackMessage, CallbackPlan } from './callbacks/plan.ts'
import type { LazyRouter } from './lazy-router.ts'
import { bodyForRecord } from './matchable.ts'

/** The body of a request without a body, or with one that could not be read. */
export const noBody: JsonObject = {}

const noTasks: readonly Task[] = []
const noParams: Readonly<Record<string, string>> = {}

/**
 * One request on its way through the gateway, and its response. A transport creates it, the stages fill in the rest from
 * top to bottom, and the transport carries the reply out. A stage reads the fields of the stages above it, and writes its
 * own group. Three fields are also written later: `read` replaces the identity and may refuse, `perform` sets `viewedAt`.
 *
 * A closure retains all variables of its scope. So what the journal stores is made in functions that don't take the exchange.
 */
export class Exchange {
  /** The request as its transport handed it over. */
  readonly request: GatewayRequest
  readonly core: GatewayCore

  // locate: where the request goes.
  path = ''
  /** The query without its question mark. */
  query = ''
  /** `/ns/<name>` if the path began with it. Links get it too. */
  basePath = ''
  /** The namespace that the path names. */
  pathNamespace: string | undefined = undefined
  route: Route | undefined = undefined
  params: Readonly<Record<string, string>> = noParams
  /** For a path that no route serves: the route of the API that was probably meant. */
  related: Route | undefined = undefined
  /** A hash of what the request asks for: equal requests have equal identities. Random draws are keyed by it. */
  identity = ''

  // identify: who sent it, and to which namespace.
  caller!: Caller
  namespace!: GatewayNamespace
  /** A refusal found before the turn. `admit` throws it, so that a refused request is also ticked, counted and journaled. */
  refusal: GatewayError | undefined = undefined

  // read: the content of the body. The only stage that waits.
  body: JsonObject = noBody
  /** The body as the dashboard shows it, if bodies are stored. */
  bodyText: BodyText | undefined = undefined
  /** What the operation decoded from the body: images, digests. */
  prepared: unknown = undefined

  // tick: the instant of admission, and the task that the request concerns.
  task: Task | undefined = undefined
  /** Further tasks that the request names. */
  others: readonly Task[] = noTasks
  /** The id, or the second name, by which a function of a definition or the path names the task; empty without one. */
  namedAs = ''
  /** The state of that task at the instant of admission. */
  view: TaskView | undefined = undefined
  /** Whether the clock was advanced on the assumption that the client had waited. */
  assumed = false
  now = 0
  /** The line of the program that sent the request, if it is known. */
  place: string | undefined = undefined
  /**
   * The instant of the task state that is sent: now, unless a fault sends an earlier state. Billing and the journal use
   * now.
   */
  viewedAt = 0

  // open: the number of the exchange in the order of all exchanges.
  /** How often the same request had come before. */
  attempt = 0
  model: string | undefined = undefined
  prompt: string | undefined = undefined
  /** Its entry in the journal; missing for preflights and control calls. */
  entry!: JournalEntry

  // admit, parse, script, perform, distort.
  rateHeaders: Readonly<Record<string, string>> | undefined = undefined
  input: unknown = undefined
  /** What the operation ignored in the request, or advice, for the hint header. */
  hint = ''
  decision: RuleDecision = noDecision
  reply!: Reply
  /** Writes the reply as this gateway does, after rules have changed its fields. */
  encode: ((reply: Reply) => Reply) | undefined = undefined
  /** Takes back that rules fired; set until their effect changes something in the stream that is sent. */
  withdrawRules: (() => void) | undefined = undefined

  // record: what the transport needs to carry the reply out.
  /** All headers except those that depend on the bytes: names and values in turn. */
  headers: readonly string[] = []
  /** Where its headers and bodies are stored, if they are stored. */
  messages: ExchangeMessages | undefined = undefined
  /** Of a callback: the change that it reports. */
  message: CallbackMessage | undefined = undefined
  /** How the clock lists the wait of this response. */
  waiting: Waiting | undefined = undefined
  /** Called when its response has ended, such as to end a span. */
  onSettled: (() => void) | undefined = undefined

  constructor(incoming: GatewayRequest, core: GatewayCore) {
    this.request = incoming
    this.core = core
  }

  get credential(): string {
    return this.caller.credential
  }

  /** The record of the key; undefined if the credential is not a valid key. */
  get key(): KeyRecord | undefined {
    return this.caller.key
  }

  get clock(): Clock {
    return this.namespace.clock
  }

  get tasks(): TaskStore {
    return this.core.tasks
  }

  get draws(): Draws {
    return this.core.draws
  }

  get billing(): Billing {
    return this.core.billing
  }

  /** The account that pays. An operation checks it before it has any effect, and refuses in its own envelope. */
  get account(): Account {
    return this.core.billing.account(this.namespace.name, this.caller)
  }

  /** Charges the account, and notes the price in the journal. */
  charge(charge: Charge): void {
    this.account.charge(charge, this.now)
    this.entry.quota += charge.quota
  }

  /** The key of the random draws of rules and faults: the task, otherwise the identity. */
  get subject(): string {
    return this.route?.task?.inBody || this.route?.callback
      ? this.identity
      : (this.task?.record.id ?? this.identity)
  }

  /** The state of its task that is sent. */
  get sentView(): TaskView {
    return this.viewedAt === this.now ? this.view! : this.tasks.view(this.task!, this.viewedAt)
  }

  /** The beginning of links. */
  get origin(): string {
    return (this.core.publicUrl ?? this.request.origin) + this.basePath
  }

  /** The request's body for the record of a task; undefined if no rule can match on it later. */
  get bodyToKeep(): TaskRecord['body'] {
    const { rules, throttles } = this.core
    return rules.needsTaskBodies || throttles.needsTaskBodies ? bodyForRecord(this.body) : undefined
  }

  /** A request header; empty when it is missing. @param name in lower case. */
  header(name: string): string {
    return headerOf(this.request, name)
  }

  /** Records a poll of a task. In `auto` mode this may advance the clock. @returns the instant after it. */
  look(task: Task): number {
    const { clock } = this
    if (recordPoll(task, { clock, now: clock.now() }, this.core)) this.entry.assumed = true
    return this.clock.now()
  }

  /** Records how the response ended. Its transport calls this; only the first call counts. */
  settle(outcome: Outcome, bytes: number, more?: Omit<ExchangeOutcome, 'outcome' | 'bytes'>): void {
    const { entry, namespace, core } = this
    if (entry?.outcome !== 'open') return
    core.activity.end()
    this.withdrawRules?.()
    noteSettlement(entry, namespace.clock.now(), outcome, bytes, more)
    if (this.decision.respond?.broken && entry.content === 'complete') entry.content = 'altered'
    namespace.journal.settled(entry)
    this.onSettled?.()
  }
}

/** Turns a thrown error into a reply, in the envelope of the operation. No other place does. */
export function refuse(x: Exchange, thrown: unknown): Reply {
  const { requestId } = x.entry
  const error = asGatewayError(thrown)
  if (error.internalError !== undefined) {
    x.entry.internalError = error.internalError
    x.core.onBug(error.internalError)
  }
  x.entry.hint = error.message
  // A refusal tells no state, also if its status is 200.
  x.entry.reportedStatus = null
  const own = error.reply(requestId)
  const reply = (x.route ?? x.related)?.refuse?.(error, x) ?? own
  if (reply.status !== own.status) x.entry.refusalStatus = own.status
  return reply
}

/** The core with what only the gateway uses. */
export interface GatewayCore extends Core {
  readonly router: LazyRouter<Route>
  readonly unserved: UnservedRequests
  readonly callers: Callers
  readonly requestId: (now: number, subject: string, attempt: number) => string
  readonly directiveAdvice: DirectiveAdvice
  readonly keeping: Persistence
  /** Body fields without meaning, such as a nonce. */
  readonly ignoredFields: readonly string[]
  readonly bodyLimitBytes: number
  /** The beginning of links, if it is not the origin of the request. */
  readonly publicUrl: string | undefined
}

/** One operation on the wire, as its API describes it. The stages treat all operations alike. */
export interface Route<Prepared = unknown, Input = unknown> extends DirectiveSupport {
  readonly operation: string
  /** What it does. */
  readonly role: Role
  /** The kind of tasks that it is about. */
  readonly tasks?: string
  readonly methods: readonly string[]
  /** The path, such as `/v1/videos/{task_id}/content`. */
  readonly path: string
  readonly aliases?: readonly string[]
  /** The task that the request names. An unknown task, or one of another API or namespace, is refused. */
  readonly task?: NamedTask
  /** Paths under it belong to its API: also unknown ones are refused in its envelope. */
  readonly prefixes?: readonly string[]
  /** The keys of its API, if they differ from the usual ones. */
  readonly keys?: KeyForm
  /** Whether a request without any key is allowed. It belongs to the namespace of its task. */
  readonly opensWithoutKey?: (query: string) => boolean
  /** Keys are ignored, even invalid ones. */
  readonly isPublic?: boolean
  /** Reads the key from other places of its API. Undefined without one: then `Authorization` counts. */
  readonly credential?: (x: Exchange) => string | undefined
  /** Refuses a request of a valid key before anything else of it is checked. */
  readonly before?: (x: Exchange) => void
  /** Puts a refusal into the envelope of this operation. */
  readonly refuse?: (error: GatewayError, x: Exchange) => Reply
  /** The refusal of a body that is not a JSON object, if it differs from the usual one. */
  readonly malformed?: () => GatewayError
  /** Decodes the content of the body, such as images. Has no effects; may wait. A route without it reads no body. */
  readonly prepare?: (
    body: JsonObject,
    media: MediaSource,
    path: string,
  ) => MaybePromise<PreparedBody<Prepared>>
  /** Checks the request. Has no effects: a rule may respond instead. */
  readonly parse?: (x: Exchange & { prepared: Prepared }) => Input
  /** Carries the request out. It is synchronous, and the only step with effects. */
  readonly respond: (x: Exchange & { prepared: Prepared }, input: Input) => Reply
  /** How it honours idempotency keys, without an option. */
  readonly idempotency?: IdempotencyPlan
  /** For a callback: when it is sent, and how. */
  readonly callback?: CallbackPlan
  /** What rules and the journal may read of the request. */
  readonly describe?: (x: Exchange) => { model?: string | undefined; prompt?: string | undefined }
}

/** A task that a request names, in its path or in its body. */
export interface NamedTask {
  /** The parameter of the path that names it. */
  readonly parameter?: string
  /** The query parameter that carries the id, if the path does not. */
  readonly inQuery?: string
  /** Reads the ids of the tasks from the request instead. Several are of the same kind, and the first counts. */
  readonly namedBy?: (x: Exchange) => readonly string[]
  /** Whether a request whose task was not found goes on without one. */
  readonly mayMiss?: (x: Exchange) => boolean
  /** Reads the id from the body instead. Such a request creates a task of its own. */
  readonly inBody?: (body: JsonObject) => string | undefined
  /** The lifecycle of such tasks. */
  readonly lifecycle: string
  /** The refusal for an unknown task. */
  readonly unknown: (body: JsonObject) => GatewayError
  /** Whether the request is a poll of the task. */
  readonly looks: boolean
  /** Whether only the key that submitted the task may see it. */
  readonly isOwnersOnly?: boolean
}

/** The result of `prepare`. */
export interface PreparedBody<Prepared> {
  readonly prepared: Prepared
  /** The fields that the identity is computed from, with images replaced by their digests. */
  readonly fields: JsonObject
}

/** How an operation of a definition honours idempotency keys. */
export interface IdempotencyPlan {
  readonly keyOf: (x: Exchange) => string | undefined
  /** The refusal of a key that another request had. */
  readonly reused: () => GatewayError
}
