/**
 * - `real`: the host's pace.
 * - `scaled`: `rate` times the host's pace.
 * - `manual`: moves only when told.
 * - `auto`: moves on by itself when nothing else can happen: to the next waiter, or at a poll by the poll step.
 */
export const clockModes = ['real', 'scaled', 'manual', 'auto'] as const
export type ClockMode = (typeof clockModes)[number]

/**
 * By which clock the waits of clients show: the virtual one, the host's, or none, because nobody slept on a clock that
 * stands still by itself.
 */
export type Timing = 'virtual' | 'wall' | 'assumed'

export interface ClockSettings {
  mode: ClockMode
  /** How many virtual seconds pass in one of the host's, in mode `scaled`. */
  rate?: number
  /** The first instant, in milliseconds since 1970. */
  start?: number
  /** In mode `auto`: how long a client is taken to wait between two looks at the same task. */
  pollStepMs?: number
  /** Told of every move that isn't the mere passing of the host's time. */
  onMove?: (now: number) => void
}

/** What the control plane tells of a clock. */
export interface ClockStatus {
  mode: ClockMode
  now: number
  /** `now` as an ISO date. */
  time: string
  rate: number
  pollStepMs: number
  /** Whether polls still move the clock by the poll step. */
  assumesPollStep: boolean
  waiters: number
  /** When the soonest waiter is due, or null. */
  nextWaiter: number | null
}

/** Something was asked of a clock that it can't do. The message says what to do instead. */
export class ClockError extends Error {
  override name = 'ClockError'
}

/** Where time starts unless it is tied to the host's: a fixed instant keeps tests the same every day. */
export const fixedStart = Date.UTC(2030, 0, 1)

/** The last instant there is: beyond it dates can't be written in four digits of a year. */
export const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59)
