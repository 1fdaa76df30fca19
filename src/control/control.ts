import type { ClockMode, ClockStatus } from '../engine/clock-settings.ts'
import type { RequestFields } from '../engine/plan.ts'
import type { KeyUsage } from '../gateway/account.ts'
import type { JournalEntry, JournalFilter } from '../gateway/journal.ts'
import type { EncoderStatus } from '../media/source.ts'

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
  tasks(namespace: string): TaskSummary[]
  /** @throws {ControlError} for an unknown task. */
  task(namespace: string, id: string): TaskSummary
  /** @throws {ControlError} for an unknown task, {TransitionError} for a state it can't go to. */
  transition(namespace: string, id: string, change: { status: string; reason?: string }): TaskSummary
  journal(namespace: string, filter: JournalFilter): JournalEntry[]
  /** What each key has used, and what is left of its balance. */
  usage(namespace: string): KeyUsage[]
  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void
}

/** How far to move: by milliseconds, to an instant, or until a task has a status. */
export type AdvanceTarget = { by: number } | { to: number } | { until: { task: string; status: string } }

export interface Advanced {
  now: number
  time: string
  /** How many waiters were woken on the way. */
  woken: number
}

export interface Health {
  ready: true
  version: string
  node: string
  seed: string
  encoder: EncoderStatus
  namespaces: number
}

/** A task with what is true of it now. */
export interface TaskSummary {
  id: string
  operation: string
  status: string
  progress: number
  reason: string
  submittedAt: number
  startedAt: number
  finishedAt: number
  looks: number
  request: RequestFields
  /** Each state with the instant at which it begins, the future included. */
  timeline: { status: string; from: number }[]
}

/** A call of the control plane that can't be carried out. The message says what to do. */
export class ControlError extends Error {
  override name = 'ControlError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
