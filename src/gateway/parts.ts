import type { Activity } from '../engine/clock/activity.ts'
import type { Changes } from '../engine/tasks/changes.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { Namespace, Namespaces } from '../engine/namespace.ts'
import type { OpenTasks } from '../engine/tasks/open-tasks.ts'
import type { TaskStore } from '../engine/tasks/tasks.ts'
import type { MediaSource } from '../media/source.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { Waiting } from '../engine/clock/waiting.ts'
import type { BodyBudget } from './bodies/body-budget.ts'
import type { Billing } from './accounts/billing.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import type { Journal, JournalEntry, Outcome, ExchangeOutcome } from './journal.ts'
import type { KeyRecord } from './accounts/keys.ts'
import type { Rates } from './accounts/rates.ts'
import type { Reply } from './replies/reply.ts'
import type { Route } from './route.ts'

/** A namespace with the record of its exchanges. */
export interface GatewayNamespace extends Namespace {
  readonly journal: Journal
  readonly comebacks: RetrySchedule
}

/** Where what changes is kept, if it is. */
export interface Persistence {
  /** Why what a request changes can't be kept; undefined when it can. */
  obstacle(): string | undefined
  /** Keeps what has changed. @returns why it couldn't, if so. */
  keep(): string | undefined
}

/** What a gateway is made of. */
export interface GatewayParts {
  readonly routes: readonly Route[]
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly open: OpenTasks
  readonly rules: Rules
  readonly throttles: Throttles
  readonly draws: Draws
  readonly media: MediaSource
  readonly keys: readonly (string | KeyRecord)[]
  /** Whether `sk-sim-…` is refused where keys are configured. */
  readonly strictKeys: boolean
  readonly billing: Billing
  readonly rates: Rates
  /** Forgets the tasks of a namespace that are past their retention. Asked before each admission. */
  readonly expireTasks: (namespace: string, now: number) => void
  /** What has changed, and where it is kept. */
  readonly changes: Changes
  readonly keeping: Persistence
  /** Counts the requests that have no complete response yet. */
  readonly activity: Activity
  /** Body fields that mean nothing, such as a nonce. */
  readonly ignoredFields: readonly string[]
  readonly bodyLimitBytes: number
  readonly bodyRoom: BodyBudget
  /** What links begin with, when it isn't the origin that the client used. */
  readonly publicUrl: string | undefined
  /** Called with what users should know of a request, once for each thing. */
  readonly onWarning: (message: string) => void
  /** Told of our own mistakes: a message without a stack. */
  readonly onBug: (message: string) => void
}

/** A request with its answer, ready to be carried out by a door. */
export interface Exchange {
  readonly reply: Reply
  /** Every header of the answer but those of its bytes: names and values in turn. */
  readonly headers: readonly string[]
  /** The clock on which the door waits. */
  readonly clock: Clock
  /** How the clock knows who waits there; by default somebody for some answer. */
  readonly waiting?: Waiting
  /** The instant of admission on that clock. */
  readonly admittedAt: number
  /** What the journal says of it; none for preflights and the control plane. */
  readonly entry?: JournalEntry
  /** Says how the door fared. */
  readonly settle: (
    outcome: Outcome,
    bytes: number,
    more?: Omit<ExchangeOutcome, 'outcome' | 'bytes'>,
  ) => void
}
