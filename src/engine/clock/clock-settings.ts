import type { RequestCounts } from './absence.ts'
import { recognizeCopies } from '../shared-error.ts'

/** Every mode of a clock, in the order of the docs. */
export const clockModes = ['real', 'scaled', 'manual', 'auto', 'host'] as const
/**
 * How time moves.
 *
 * - `real`: the host's pace.
 * - `scaled`: `rate` times the host's pace.
 * - `manual`: moves only when told.
 * - `auto`: moves on by itself when nothing else can happen: to the next waiter, or at a poll by the poll step.
 * - `host`: follows the `Date` and the timers of this process, faked or not; in process only.
 *
 * @example
 * const mode: ClockMode = 'manual'
 * await using sim = createSimulator({ clock: { mode, start: '2030-06-01' } })
 * sim.clock.status().time // → '2030-06-01T00:00:00.000Z'
 */
export type ClockMode = (typeof clockModes)[number]

/** The modes of a clock that is reached through a socket: the `Date` of another process can't be followed. */
export const servedClockModes = ['real', 'scaled', 'manual', 'auto'] as const

/** A clock as a mapping, where its mode alone may stand for it. */
export function clockMapping<Clock extends string | object>(
  clock: Clock | undefined,
): Exclude<Clock, string> | undefined {
  return (typeof clock === 'string' ? { mode: clock } : clock) as Exclude<Clock, string> | undefined
}

/** Everything that `auto` may take for granted. */
export const assumptions = ['poll', 'retry-after'] as const
/**
 * What `auto` may take for granted of clients that never sleep on the clock.
 *
 * - `poll`: whoever looks at an unfinished task has waited the poll step since the look before.
 * - `retry-after`: whoever asks again after an answer with `Retry-After` has waited as long as it said.
 *
 * @example
 * const assume: Assumption[] = ['poll', 'retry-after']
 * await using sim = createSimulator({ clock: { assume } })
 */
export type Assumption = (typeof assumptions)[number]

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
  /** In mode `auto`: what is taken for granted. Default `poll`. */
  assume?: readonly Assumption[]
  /** In mode `auto`: how many share the clock. Time moves only when all of them are parked. Default 0: unknown. */
  participants?: number
  /** In mode `auto`: how far time may move by itself. Default 24 hours. */
  limitMs?: number
  /** Where time goes on, if it began before. */
  resume?: ResumedTime
  /** Told of every move that isn't the mere passing of the host's time. */
  onMove?: (now: number) => void
  /** Called when a response has waited for a while in mode `manual`, once for each standstill. */
  onManualWait?: (why: string) => void
  /** The requests of the simulator: where they are not known, an absent participant is reported all the same. */
  requests?: RequestCounts
  /** Told when time stands still for good, once each time. */
  onStuck?: (stuck: Stuck) => void
}

/** What a clock has to know of its past. */
export interface ResumedTime {
  /** The instant at which it goes on. */
  now: number
  /** Whether a client has slept on it. */
  slept: boolean
  /** How far time has moved by itself. */
  movedMs: number
}

/**
 * Why time stands still for good, in mode `auto`.
 *
 * @example
 * sim.core.events.subscribe((event) => {
 *   if (event.type === 'clock.stuck') console.error(event.why, event.waiting)
 * })
 * const stuck: Stuck | null = sim.clock.status().stuck
 * stuck // → null
 */
export interface Stuck {
  /**
   * `deadlock`: all participants are parked and nobody can be woken. `limit`: time may not move further by itself.
   * `absent`: a participant neither waits nor makes a request, for 5 seconds of real time.
   */
  outcome: 'deadlock' | 'limit' | 'absent'
  /** As a sentence. */
  why: string
  /** Who waits for what, soonest first. */
  waiting: readonly string[]
  /** For how long it has been so, in the host's milliseconds. */
  forMs: number
}

/**
 * A hold that keeps `auto` from moving.
 *
 * @example
 * sim.clock.hold('a breakpoint', { for: '1m' })
 * const [hold]: HoldStatus[] = sim.clock.status().holds
 * hold?.name // → 'a breakpoint'
 */
export interface HoldStatus {
  /** By which it is renewed and let go. */
  id: string
  /** Who holds. */
  name: string
  /** How long it lasts yet, in the host's milliseconds. */
  expiresInMs: number
}

/**
 * What the control plane tells of a clock.
 *
 * @example
 * const status: ClockStatus = sim.clock.status()
 * status.time // → '2030-01-01T00:00:00.000Z'
 * status.assumesPollStep // → true
 */
export interface ClockStatus {
  mode: ClockMode
  /** The virtual instant, in milliseconds since 1970. */
  now: number
  /** `now` as an ISO date. */
  time: string
  /** The host's time, as an ISO date. */
  wallTime: string
  /** How many virtual seconds pass in one of the host's; 0 where time doesn't follow the host. */
  rate: number
  /** How long `auto` takes a client to wait between two looks at a task. */
  pollStepMs: number
  /** Whether polls still move the clock by the poll step. */
  assumesPollStep: boolean
  /** How many wait for an instant: sleeping clients, and answers that are due later. */
  waiters: number
  /** When the soonest waiter is due, or null. */
  nextWaiter: number | null
  /** Who waits for what, soonest first: the first twenty. */
  waiting: string[]
  /** What keeps `auto` from moving, by whom. */
  holds: HoldStatus[]
  /** How many share the clock, how many of them are parked, and the names of those that said theirs. */
  participants: { expected: number; parked: number; names: string[] }
  /** How far time may still move by itself. */
  limitLeftMs: number
  /** What time does, and where it stands still, why. */
  why: string
  /** Set when time stands still for good. */
  stuck: Stuck | null
}

/**
 * Something was asked of a clock that it can't do. The message says what to do instead.
 *
 * @example
 * sim.clock.set('scaled', -1) // throws ClockError: …-1…
 */
export class ClockError extends Error {
  static {
    recognizeCopies(this, 'ClockError')
  }

  override name = 'ClockError'
}

/** Rejects the wait of a response whose clock was closed: its instant never comes. */
export class ClockClosed extends Error {
  override name = 'ClockClosed'
  constructor() {
    super('The clock was closed before the response was due.')
  }
}

/** Where time starts unless it is tied to the host's: a fixed instant keeps tests the same every day. */
export const fixedStart = Date.UTC(2030, 0, 1)

/** The last instant there is: beyond it dates can't be written in four digits of a year. */
export const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Whether a clock can begin at an instant, in milliseconds since 1970; at none that isn't a number. */
export function isValidInstant(instant: number): boolean {
  return instant >= 0 && instant <= latestInstant
}

/** So many virtual seconds may pass in one of the host's. */
export const fastestRate = 1_000_000

/** How far `auto` moves unless more is asked for: whoever waits longer has most likely run away. */
export const defaultLimitMs = 24 * 3_600_000
