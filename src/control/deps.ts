import type { Clock } from '../engine/clock/clock.ts'
import type { Namespaces } from '../engine/namespace.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { EventLog } from '../engine/tasks/events.ts'
import type { TaskStore } from '../engine/tasks/tasks.ts'
import type { Billing } from '../gateway/accounts/billing.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { MediaSource } from '../media/source.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { StateControl } from './state.ts'

/** What the control API needs of a simulator. */
export interface ControlDeps {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly events: EventLog
  readonly media: MediaSource
  readonly rules: Rules
  readonly draws: Draws
  readonly billing: Billing
  readonly state: StateControl
  /** The clock of a namespace, up to date, after tasks past their retention were removed. */
  readonly clockOf: (namespace: string) => Clock
  /** Forgets what was counted in a namespace: by rules, throttles and accounts. */
  readonly forget: (namespace: string) => void
}
