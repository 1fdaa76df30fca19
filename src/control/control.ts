import type { ClockMode, ClockStatus, HoldStatus } from '../engine/clock/clock-settings.ts'
import type { RequestFields } from '../engine/tasks/plan.ts'
import type { KeyUsage } from '../gateway/accounts/account.ts'
import type { JournalEntry, JournalFilter } from '../gateway/journal.ts'
import type { ListedRule, RuleReason } from '../scenario/rules/rule.ts'
import type { Restored, Snapshot } from './state.ts'
import type { EncoderStatus } from '../media/source.ts'
import { recognizeCopies } from '../engine/shared-error.ts'

/**
 * What can be seen and done from outside the gateway's protocol. The simulator implements it; over HTTP each
 * method is one route under `/_greenroom`.
 */
export interface Control {
  health(): Health
  clock(namespace: string): ClockStatus
  /** @throws {ClockError} for a mode or rate that can't be. */
  setClock(namespace: string, change: { mode: ClockMode; rate?: number }): ClockStatus
  /**
   * Moves time and returns once everything due has been applied.
   * @throws {ClockError} for the past; {ControlError} for a task that never gets there.
   */
  advance(namespace: string, target: AdvanceTarget): Promise<Advanced>
  /** Parks the caller on the clock. */
  sleep(
    namespace: string,
    durationMs: number,
    options: { signal?: AbortSignal; as?: string },
  ): Promise<number>
  /**
   * Keeps `auto` from moving time, until it is let go or runs out: after 30 seconds of the host's time unless told.
   * @throws {ClockError} for too long a time, and in a mode in which time passes whatever is held.
   */
  hold(namespace: string, hold: { name: string; forMs?: number }): HoldStatus
  /** @throws {ControlError} for a hold that was let go, or ran out. */
  renewHold(namespace: string, id: string, forMs?: number): HoldStatus
  /** @returns whether it was still held. */
  releaseHold(namespace: string, id: string): boolean
  /**
   * From now on `auto` moves only when this participant is parked too.
   * @throws {ClockError} when too many take part.
   */
  join(namespace: string, name: string): ClockStatus
  /** @throws {ClockError} when no such participant takes part. */
  leave(namespace: string, name?: string): ClockStatus
  /** The oldest first. `last`: only so many, the latest. */
  tasks(namespace: string, filter?: { last?: number }): TaskSummary[]
  /** As `tasks`: all of them as they are now, each made when it is asked for, which takes a while for many. */
  eachTask(namespace: string, filter?: { last?: number }): Iterable<TaskSummary> & { readonly count: number }
  /** @throws {ControlError} for an unknown task. */
  task(namespace: string, id: string): TaskSummary
  /** @throws {ControlError} for an unknown task, {TransitionError} for a state it can't go to. */
  transition(namespace: string, id: string, change: { status: string; reason?: string }): TaskSummary
  journal(namespace: string, filter: JournalFilter): JournalEntry[]
  /**
   * One exchange with the reason of each rule.
   * @throws {ControlError} for a number that the journal doesn't know, or no longer.
   */
  exchange(namespace: string, number: number): ExplainedEntry
  /** What each key has used, and what is left of its balance. */
  usage(namespace: string): KeyUsage[]
  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void
  /** All that must be known to go on from here, of one namespace or of all. */
  snapshot(namespace?: string): Snapshot
  /** As `snapshot`, as JSON in pieces: of one instant too, while others have their turn. */
  snapshotText(namespace?: string): Promise<Iterable<string>>
  /**
   * Puts what a snapshot says in the place of what is there. Others have their turn while it is checked.
   * @throws {StateError} for a document that can't be; then nothing has changed.
   */
  restoreInTurns(document: unknown, options?: { namespace?: string }): Promise<Restored>
  /** The rules, the strongest first: all, or those that concern a namespace, with what they counted there. */
  rules(namespace?: string): ListedRule[]
  /**
   * Adds a rule for a namespace, or for all of them.
   * @throws {ControlError} 400 for a rule that can't be, with everything that is wrong with it.
   */
  addRule(rule: unknown, namespace?: string): Promise<{ id: string }>
  /** As `addRule`, for what concerns the next request only. */
  nextRule(rule: unknown, namespace?: string): Promise<{ id: string }>
  /**
   * Takes a rule away: any of that id, or the one of a namespace.
   * @throws {ControlError} 404 for a rule nobody knows.
   */
  removeRule(id: string, namespace?: string): { removed: string }
}

/** How far to move: by milliseconds, to an instant, or until a task has a status. */
export type AdvanceTarget = { by: number } | { to: number } | { until: { task: string; status: string } }

/**
 * Where time stands after a move.
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
  /** How many waiters were woken on the way. */
  wokenCount: number
}

/**
 * What `/_greenroom/health` says.
 *
 * @example
 * const health: Health = sim.core.control.health()
 * health // → { ready: true, seed: '1', namespaces: 1, … }
 */
export interface Health {
  ready: true
  /** Of greenroom. */
  version: string
  /** The version of Node it runs on. */
  node: string
  seed: string
  /** What makes `full` clips. */
  encoder: EncoderStatus
  /** How many namespaces there are by now. */
  namespaces: number
}

/**
 * A task with what is true of it now.
 *
 * @example
 * const task: TaskSummary = sim.task(await client.submitVideo('a red kite'))
 * task.status // → 'queued'
 * task.timeline.map(({ status }) => status) // → ['queued', 'IN_PROGRESS', 'SUCCESS']
 */
export interface TaskSummary {
  id: string
  /** The operation that made it, such as `video.submit`. */
  operation: string
  /** The state in which it is now, in the words of its surface. */
  status: string
  /** In percent, from 0 to 100. */
  progress: number
  /** Why it failed; empty where it hasn't. */
  reason: string
  /** Instants in milliseconds since 1970; 0 for what hasn't happened yet. */
  submittedAt: number
  startedAt: number
  finishedAt: number
  /** How often clients have looked at it, as a poll does. */
  pollCount: number
  /** What was asked for, as its surface understood it. */
  request: RequestFields
  /** Each state with the instant at which it begins, the future included. */
  timeline: { status: string; from: number }[]
}

/**
 * A call of the control plane that can't be carried out. The message says what to do.
 *
 * @example
 * sim.task('task_of_nobody') // throws ControlError: …task_of_nobody…
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

/** The answer to a hold that is none any more. */
export function unknownHold(id: string): ControlError {
  return new ControlError(
    404,
    `There is no hold ${JSON.stringify(id.slice(0, 40))}: it was let go, or its time ran out. ` +
      'GET /_greenroom/clock lists those there are.',
  )
}

/** A journal entry as data: with the reason of each rule. */
export interface ExplainedEntry extends Omit<JournalEntry, 'reasons'> {
  readonly reasons: readonly RuleReason[]
}
