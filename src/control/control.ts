import type { ClockMode, ClockStatus, HoldStatus } from '../engine/clock/clock-settings.ts'
import type { Deadline } from '../engine/clock/deadlines.ts'
import type { RequestFields } from '../engine/tasks/plan.ts'
import type { KeyUsage } from '../gateway/accounts/account.ts'
import type { JournalEntry, JournalFilter } from '../gateway/journal.ts'
import type { ListedRule, RuleReason } from '../scenario/rules/rule.ts'
import type { Restored, Snapshot } from './state.ts'
import type { EncoderStatus } from '../media/source.ts'
import { recognizeCopies } from '../engine/shared-error.ts'

/** The control API. The simulator implements it; over HTTP each method is a route under `/_greenroom`. */
export interface Control {
  health(): Health
  clock(namespace: string): ClockStatus
  /** @throws {ClockError} for an invalid mode or rate. */
  setClock(namespace: string, change: { mode: ClockMode; rate?: number }): ClockStatus
  /**
   * Moves time and returns once everything due has been applied.
   * @throws {ClockError} for the past; {ControlError} for a task that never reaches the status.
   */
  advance(namespace: string, target: AdvanceTarget): Promise<Advanced>
  /** Waits on the clock. */
  sleep(
    namespace: string,
    durationMs: number,
    options: { signal?: AbortSignal; as?: string },
  ): Promise<number>
  /**
   * Opens a deadline, which moves no time while its owner is at work.
   * @throws {ClockError} in a mode without waits.
   */
  deadline(namespace: string, durationMs: number, options: { as?: string }): Deadline
  /**
   * Pauses an `auto` clock until the hold is released or expires, by default after 30 seconds of host time.
   * @throws {ClockError} for too long a time, and in modes in which time passes by itself.
   */
  hold(namespace: string, hold: { name: string; forMs?: number }): HoldStatus
  /** @throws {ControlError} for a hold that was released or has expired. */
  renewHold(namespace: string, id: string, forMs?: number): HoldStatus
  /** @returns whether the hold still existed. */
  releaseHold(namespace: string, id: string): boolean
  /**
   * Registers a participant: an `auto` clock moves only while all participants wait.
   * @throws {ClockError} for too many participants.
   */
  join(namespace: string, name: string): ClockStatus
  /** @throws {ClockError} for an unknown participant. */
  leave(namespace: string, name?: string): ClockStatus
  /** Oldest first. `last` limits the list to the latest ones. */
  tasks(namespace: string, filter?: { last?: number }): TaskSummary[]
  /** Like `tasks`, but creates each summary on demand, at the present state of all tasks. */
  eachTask(namespace: string, filter?: { last?: number }): Iterable<TaskSummary> & { readonly count: number }
  /** @throws {ControlError} for an unknown task. */
  task(namespace: string, id: string): TaskSummary
  /** @throws {ControlError} for an unknown task, {TransitionError} for a state it can't go to. */
  transition(namespace: string, id: string, change: { status: string; reason?: string }): TaskSummary
  journal(namespace: string, filter: JournalFilter): JournalEntry[]
  /**
   * One exchange with the reason of each rule.
   * @throws {ControlError} for a number that is not in the journal, or no longer.
   */
  exchange(namespace: string, number: number): ExplainedEntry
  /** The usage and the remaining balance of each key. */
  usage(namespace: string): KeyUsage[]
  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void
  /** The complete state of one namespace, or of all. */
  snapshot(namespace?: string): Snapshot
  /** Like `snapshot`, as JSON in parts: of one instant, but without blocking other requests. */
  snapshotText(namespace?: string): Promise<Iterable<string>>
  /**
   * Replaces the state by a snapshot. Checking it does not block other requests.
   * @throws {StateError} for an invalid document; then nothing has changed.
   */
  restoreInTurns(document: unknown, options?: { namespace?: string }): Promise<Restored>
  /** The rules, highest precedence first: all, or those of a namespace with their counts there. */
  rules(namespace?: string): ListedRule[]
  /**
   * Adds a rule for a namespace, or for all of them.
   * @throws {ControlError} 400 for an invalid rule, with all its mistakes.
   */
  addRule(rule: unknown, namespace?: string): Promise<{ id: string }>
  /** Like `addRule`, for the next request only. */
  nextRule(rule: unknown, namespace?: string): Promise<{ id: string }>
  /**
   * Removes the rule with an id, of any or of one namespace.
   * @throws {ControlError} 404 for an unknown rule.
   */
  removeRule(id: string, namespace?: string): { removed: string }
}

/** How far to move: by milliseconds, to an instant, or until a task has a status. */
export type AdvanceTarget = { by: number } | { to: number } | { until: { task: string; status: string } }

/**
 * The time after a move.
 *
 * @example
 * const { time, wokenCount }: Advanced = await sim.clock.advance('1m')
 * time // → '2030-01-01T00:01:00.000Z'
 * wokenCount // → 0
 */
export interface Advanced {
  /** In milliseconds since 1970. */
  now: number
  /** `now` as an ISO date. */
  time: string
  /** How many waiters were woken. */
  wokenCount: number
}

/**
 * The response of `/_greenroom/health`.
 *
 * @example
 * const health: Health = sim.core.control.health()
 * health // → { ready: true, seed: '1', namespaces: 1, … }
 */
export interface Health {
  ready: true
  /** The version of greenroom. */
  version: string
  /** The version of Node. */
  node: string
  seed: string
  /** The encoder of `full` clips. */
  encoder: EncoderStatus
  /** The number of namespaces. */
  namespaces: number
}

/**
 * A task and its present state.
 *
 * @example
 * const task: TaskSummary = sim.task(await client.submitVideo('a red kite'))
 * task.status // → 'queued'
 * task.timeline.map(({ status }) => status) // → ['queued', 'IN_PROGRESS', 'SUCCESS']
 */
export interface TaskSummary {
  id: string
  /** The operation that created it, such as `video.submit`. */
  operation: string
  /** The present status, as its API spells it. */
  status: string
  /** In percent, from 0 to 100. */
  progress: number
  /** Why it failed; empty otherwise. */
  reason: string
  /** Instants in milliseconds since 1970; 0 for the future. */
  submittedAt: number
  startedAt: number
  finishedAt: number
  /** The number of polls. */
  pollCount: number
  /** The parsed request. */
  request: RequestFields
  /** Each state with the instant at which it begins, the future included. */
  timeline: { status: string; from: number }[]
}

/**
 * A failed control API call. The message says what to do.
 *
 * @example
 * sim.task('task_unknown') // throws ControlError: …task_unknown…
 */
export class ControlError extends Error {
  static {
    recognizeCopies(this, 'ControlError')
  }

  override name = 'ControlError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The error for a hold that no longer exists. */
export function unknownHold(id: string): ControlError {
  return new ControlError(
    404,
    `There is no hold ${JSON.stringify(id.slice(0, 40))}: it was let go, or its time ran out. ` +
      'GET /_greenroom/clock lists those there are.',
  )
}

/** A journal entry as data, with the reason of each rule. */
export interface ExplainedEntry extends Omit<JournalEntry, 'reasons'> {
  readonly reasons: readonly RuleReason[]
}
