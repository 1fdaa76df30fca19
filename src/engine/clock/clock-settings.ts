import { recognizeCopies } from '../shared-error.ts'

/** Every mode of a clock, in the order of the docs. */
export const clockModes = ['real', 'scaled', 'manual', 'auto', 'host'] as const
/**
 * How time moves.
 *
 * - `real`: the host's pace.
 * - `scaled`: `rate` times the host's pace.
 * - `manual`: moves only when you advance it.
 * - `auto`: jumps to the next waiter when nothing else is running. If no client sleeps on the clock and none has joined
 *   it, each poll of an unfinished task moves it by the poll step.
 * - `host`: follows the `Date` and the timers of this process, faked or not; in process only.
 *
 * @example
 * const mode: ClockMode = 'manual'
 * await using sim = createSimulator({ clock: { mode, start: '2030-06-01' } })
 * sim.clock.status().time // → '2030-06-01T00:00:00.000Z'
 */
export type ClockMode = (typeof clockModes)[number]

/**
 * The modes of a clock that clients reach through a socket. Such a clock can't follow the `Date` of another process.
 */
export const servedClockModes = ['real', 'scaled', 'manual', 'auto'] as const

/** Clock options as an object; a plain mode is a shorthand. */
export function clockMapping<Clock extends string | object>(
  clock: Clock | undefined,
): Exclude<Clock, string> | undefined {
  return (typeof clock === 'string' ? { mode: clock } : clock) as Exclude<Clock, string> | undefined
}

/** Every assumption of mode `auto`. */
export const assumptions = ['poll', 'retry-after'] as const
/**
 * What mode `auto` assumes of clients that never sleep on the clock.
 *
 * - `poll`: consecutive polls of an unfinished task are one poll step apart.
 * - `retry-after`: a retry after a response with `Retry-After` has waited for that delay.
 *
 * @example
 * const assume: Assumption[] = ['poll', 'retry-after']
 * await using sim = createSimulator({ clock: { assume } })
 */
export type Assumption = (typeof assumptions)[number]

/**
 * The clock that measures how long clients wait: virtual time, the host's time, or neither. It is `exact` if every timer of
 * the clients runs on virtual time, and `assumed` if no client slept on a clock that doesn't follow the host.
 */
export type Timing = 'exact' | 'virtual' | 'wall' | 'assumed'

export interface ClockSettings {
  mode: ClockMode
  /** In mode `scaled`: virtual seconds per second of the host. */
  rate?: number
  /** The first instant, in milliseconds since 1970. */
  start?: number
  /** In mode `auto`: the assumed time between two polls of a task. */
  pollStepMs?: number
  /** In mode `auto`: the assumptions. Default `poll`. */
  assume?: readonly Assumption[]
  /** In mode `auto`: the number of participants. Time moves only when all of them are parked. Default 0: unknown. */
  participants?: number
  /** In mode `auto`: how far time can move by itself. Default 24 hours. */
  limitMs?: number
  /** Where a restored clock continues. */
  resume?: ResumedTime
  /** Called when time jumps, but not while it merely follows the host. */
  onMove?: (now: number) => void
  /** Returns when a task changes its state next, for the status. */
  nextStep?: (now: number) => number | null
  /** Called when a response has waited for a while in mode `manual`, once until the clock moves. */
  onManualWait?: (why: string) => void
  /** Requests of the simulator, to distinguish a busy participant from an absent one. */
  requests?: RequestCounts
  /** Called each time when time can't move any more. */
  onStuck?: (stuck: Stuck) => void
}

/** The requests of a simulator. */
export interface RequestCounts {
  /** How many requests have begun. */
  readonly started: number
  /** How many requests have no complete response yet. */
  readonly open: number
}

/** The past of a restored clock. */
export interface ResumedTime {
  /** The instant at which it continues. */
  now: number
  /** Whether a client has slept on it. */
  slept: boolean
  /** How far time has moved without a manual advance. */
  movedMs: number
}

/**
 * Why time can't move any more, in mode `auto`.
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
   * `deadlock`: all participants are parked and none can be woken. `limit`: time can't move further by itself.
   * `absent`: a participant, or the owner of a deadline, neither waits nor makes a request, for 5 seconds of real time.
   * `outside`: a process has waited for 5 seconds of real time where virtual time does not reach it.
   */
  outcome: 'deadlock' | 'limit' | 'absent' | 'outside'
  /** The reason, as a sentence. */
  why: string
  /** Who waits for what, soonest first. */
  waiting: readonly string[]
  /** How long it has lasted, in the host's milliseconds. */
  forMs: number
}

/**
 * A hold that stops time in mode `auto`.
 *
 * @example
 * sim.clock.hold('a breakpoint', { for: '1m' })
 * const [hold]: HoldStatus[] = sim.clock.status().holds
 * hold?.name // → 'a breakpoint'
 */
export interface HoldStatus {
  /** The id by which to renew or release it. */
  id: string
  /** The holder. */
  name: string
  /** When it expires, in the host's milliseconds from now. */
  expiresInMs: number
}

/**
 * The state of a clock, as the control API reports it.
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
  /** Virtual seconds per second of the host; 0 if time doesn't follow the host. */
  rate: number
  /** The time that `auto` assumes between two polls of a task. */
  pollStepMs: number
  /** Whether polls still move the clock by the poll step. */
  assumesPollStep: boolean
  /** The number of waiters: sleeping clients, delayed responses and deadlines. */
  waiters: number
  /** When the soonest waiter is due, or null. */
  nextWaiter: number | null
  /** The next known event: the instant at which a waiter is due or a task changes its state. */
  nextEvent: number | null
  /** Who waits for what, soonest first: the first twenty. */
  waiting: string[]
  /** The holds that stop time in mode `auto`. */
  holds: HoldStatus[]
  /** How many participants share the clock, how many of them are parked, and the known names. */
  participants: { expected: number; parked: number; names: string[] }
  /** The processes that run their timers on this clock, and state when they can do nothing more. */
  agents: string[]
  /** Whether the waits of clients are known exactly: every client is one of `agents`. */
  isExact: boolean
  /** How far time can still move by itself. */
  limitLeftMs: number
  /** How time moves, or why it is stopped. */
  why: string
  /** Set if time can't move any more. */
  stuck: Stuck | null
}

/**
 * An operation that the clock doesn't support. The message suggests an alternative.
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

/** Rejects the wait of a response when its clock closes. */
export class ClockClosed extends Error {
  override name = 'ClockClosed'
  constructor() {
    super('The clock was closed before the response was due.')
  }
}

/** The first instant of clocks that don't follow the host. It is fixed, so tests run the same every day. */
export const fixedStart = Date.UTC(2030, 0, 1)

/** The last instant: the years of ISO dates have four digits. */
export const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Whether a clock can begin at an instant, in milliseconds since 1970. */
export function isValidInstant(instant: number): boolean {
  return instant >= 0 && instant <= latestInstant
}

/** The maximum of virtual seconds per real second. */
export const maxRate = 1_000_000

/** Default limit of mode `auto`: a client that waits longer is most likely in an endless loop. */
export const defaultLimitMs = 24 * 3_600_000

/** The fields of a clock that can conflict with another source. */
interface PartialClock {
  mode?: string | undefined
  rate?: number | undefined
}

/**
 * Merges the clock settings of two sources key by key; the stronger one wins. A rate needs mode `scaled`. So another mode
 * drops the rate of the weaker source, and a rate alone sets mode `scaled`.
 */
export function clockOver<Clock extends PartialClock>(
  weaker: string | Clock,
  stronger: string | Clock,
): Clock {
  const over = (clockMapping(stronger) ?? {}) as Clock
  const whole = { ...(clockMapping(weaker) as Clock), ...over }
  const { mode, rate } = over
  if (rate !== undefined) return { ...whole, mode: mode ?? 'scaled' }
  if (mode === undefined || mode === 'scaled') return whole
  const { rate: _, ...rateless } = whole
  return rateless as Clock
}
