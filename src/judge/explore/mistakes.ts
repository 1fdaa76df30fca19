import type { ClientRun } from '../runs/client-run.ts'
import type { ClientMistake } from '../runs/run-context.ts'
import type { Schedule } from '../runs/schedules.ts'

/** A mistake, with the run in which it occurred. */
export interface ObservedMistake extends ClientMistake {
  readonly schedule: Schedule
  readonly trace: string
}

/** A mistake whose run was repeated. */
export interface RepeatedMistake extends ObservedMistake {
  /** The second run; undefined after an interrupt. */
  readonly repetition: ClientRun | undefined
  /** Whether the second run did not show the mistake, or not by its scenario. */
  readonly isFlaky: boolean
  /** Whether the client passes the scenario of the finding on virtual time, so the mistake is none. */
  readonly isRefuted?: boolean
}
