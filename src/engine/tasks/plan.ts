/**
 * What was decided for a task when it was submitted. Flat, drawn once, never changed: together with the
 * amendments it is all that has to be kept of a task's life.
 *
 * @example
 * const task = await client.submitVideo('a red kite [[fail: content policy]]')
 * const plan: Plan = sim.core.tasks.find(task)!.record.plan
 * plan.reason // → 'content policy'
 */
export interface Plan {
  readonly steps: readonly Step[]
  /** The reason, should the task fail. */
  readonly reason?: string
}

/**
 * One state the task will pass. Each step begins at the very instant at which the one before it ends.
 *
 * @example
 * const task = await client.submitVideo('a red kite [[queued 10s]]')
 * const [queued]: readonly Step[] = sim.core.tasks.find(task)!.record.plan.steps
 * queued // → { state: 'queued', lastsMs: 10_000 }
 */
export interface Step {
  readonly state: string
  /** Null: it doesn't end by itself. */
  readonly lastsMs: number | null
  /** The length the state would have had, where something cuts it short; progress climbs along this. */
  readonly wholeMs?: number
  /** The operation that ends the state before `lastsMs` has passed. */
  readonly awaits?: string
  /** Where the task goes at the end of `lastsMs` instead of the next step, such as when nobody came. */
  readonly expires?: string
  /** Why it went there. */
  readonly expiryReason?: string
  /** Percent done while the step lasts, where it isn't as the lifecycle says. */
  readonly progress?: number
}

/**
 * What happened to a task after its submission. Amendments are only ever appended.
 *
 * - `transition`: the task was put into a state, by a person, a rule or a render that failed.
 * - `confirm`: the request that a state waited for has come.
 * - `begin`: there is room for it from then on, or none for ever (null): who works was busy.
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
      /** What the request changes of what was asked for. */
      readonly request?: RequestFields
      /** What happens from then on, where it isn't as was planned. */
      readonly plan?: Plan
    }
  | { readonly kind: 'begin'; readonly at: number; readonly begins: number | null }

/** What a surface remembers of a request. */
export type RequestFields = Readonly<Record<string, RequestField>>
export type RequestField =
  string | number | boolean | null | readonly RequestField[] | { readonly [name: string]: RequestField }

/**
 * A task as it is stored: inputs only, flat, in JSON types. States, progress and bytes are derived from it.
 *
 * @example
 * const record: TaskRecord = sim.core.tasks.find(await client.submitVideo('a red kite'))!.record
 * record // → { namespace: 'default', operation: 'video.submit', lifecycle: 'video', occurrence: 0, … }
 */
export interface TaskRecord {
  /** The id on the wire. */
  readonly id: string
  /** The number of the record in the gateway's own database, which some answers show. */
  readonly row: number
  readonly namespace: string
  /** The operation that made it. */
  readonly operation: string
  /** The name of its lifecycle. */
  readonly lifecycle: string
  /** What was asked for, as a hash; the dice are keyed by it. */
  readonly identity: string
  /** The how-manieth accepted request of this identity in its namespace it was, from 0. */
  readonly occurrence: number
  /** Milliseconds on the namespace's clock. */
  readonly submittedAt: number
  readonly plan: Plan
  /** What the surface needs to remember of the request. */
  readonly request: RequestFields
  /** Its place among the tasks of its lifecycle in its namespace, from 1; given by the store. */
  readonly nth?: number
  /** What the client sent, long texts cut off. Only present where a rule matches on it later. */
  readonly body?: RequestFields
}
