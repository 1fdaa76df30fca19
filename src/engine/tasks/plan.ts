/**
 * The states that a task will pass, drawn at its submission and never changed.
 *
 * @example
 * const task = await client.submitVideo('a red kite [[fail: content policy]]')
 * const plan: Plan = sim.core.tasks.find(task)!.record.plan
 * plan.reason // → 'content policy'
 */
export interface Plan {
  readonly steps: readonly Step[]
  /** The reason in case the task fails. */
  readonly reason?: string
}

/**
 * One state of a plan. It begins when the previous one ends.
 *
 * @example
 * const task = await client.submitVideo('a red kite [[queued 10s]]')
 * const [queued]: readonly Step[] = sim.core.tasks.find(task)!.record.plan.steps
 * queued // → { state: 'queued', lastsMs: 10_000 }
 */
export interface Step {
  readonly state: string
  /** How long it lasts; null if it doesn't end by itself. */
  readonly lastsMs: number | null
  /** The length before the state was cut short. Progress is measured by it. */
  readonly wholeMs?: number
  /** The operation that ends the state before `lastsMs` has passed. */
  readonly awaits?: string
  /** The state that follows after `lastsMs` instead of the next step, such as when the client didn't confirm. */
  readonly expires?: string
  /** The reason for `expires`. */
  readonly expiryReason?: string
  /** Percent done while the step lasts, if it differs from the lifecycle's. */
  readonly progress?: number
}

/**
 * What happened to a task after its submission. Amendments are only ever appended.
 *
 * - `transition`: the task was put into a state: through the control API, by a rule or by a failed render.
 * - `confirm`: the client sent the request that a state waited for.
 * - `begin`: a worker begins it at an instant, or never (null).
 * - `end`: it ends at another instant than planned, in the given state, or never (null).
 *
 * @example
 * const task = await client.submitVideo('a red kite')
 * sim.transition(task, { status: 'FAILURE', reason: 'the power went out' })
 * const [amendment]: readonly Amendment[] = sim.core.tasks.find(task)!.amendments
 * amendment // → { kind: 'transition', state: 'FAILURE', cause: 'control', … }
 */
export type Amendment =
  | {
      readonly kind: 'transition'
      readonly at: number
      readonly state: string
      readonly reason?: string
      readonly cause: 'control' | 'render' | 'request'
    }
  | {
      readonly kind: 'confirm'
      readonly at: number
      readonly operation: string
      /** Changes to the request that created the task. */
      readonly request?: RequestFields
      /** Replaces the remaining steps. */
      readonly plan?: Plan
    }
  | { readonly kind: 'begin'; readonly at: number; readonly begins: number | null }
  | {
      readonly kind: 'end'
      readonly at: number
      readonly ends: number | null
      readonly state: string
      readonly reason?: string
    }

/** The stored part of a request. */
export type RequestFields = Readonly<Record<string, RequestField>>
export type RequestField =
  | string
  | number
  | boolean
  | null
  | readonly RequestField[]
  | { readonly [name: string]: RequestField }

/**
 * A task as it is stored: inputs only, flat, in JSON types. States, progress and bytes are derived from it.
 *
 * @example
 * const record: TaskRecord = sim.core.tasks.find(await client.submitVideo('a red kite'))!.record
 * record // → { namespace: 'default', operation: 'video.submit', lifecycle: 'video', occurrence: 0, … }
 *
 * @typeParam Request the stored part of its request, as its kind of tasks has it.
 */
export interface TaskRecord<Request extends object = RequestFields> {
  /** The id on the wire. */
  readonly id: string
  /** The number of the record in the gateway's own database, which some responses contain. */
  readonly row: number
  readonly namespace: string
  /** The operation that created it. */
  readonly operation: string
  /** The name of its lifecycle. */
  readonly lifecycle: string
  /** A hash of the request. Draws are keyed by it. */
  readonly identity: string
  /** The number of earlier accepted requests of the namespace with this identity. */
  readonly occurrence: number
  /** The instant of submission, in milliseconds on the namespace's clock. */
  readonly submittedAt: number
  readonly plan: Plan
  /** The parts of the request that responses and media need. */
  readonly request: Request
  /** Its number among the tasks of its lifecycle in its namespace, from 1. */
  readonly nth?: number
  /** Its second names, such as the id of its file. */
  readonly aliases?: readonly string[]
  /** The request body with long texts truncated. Present only if a rule matches on it later. */
  readonly body?: RequestFields
}
