import {
  ClockError,
  type ClockMode,
  type ClockStatus,
  type HoldStatus,
} from '../engine/clock/clock-settings.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Deadline } from '../engine/clock/holds/deadlines.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { reaches } from '../engine/tasks/timeline.ts'
import type { ControlCore } from './core.ts'
import { clockOf } from '../gateway/core.ts'
import { ControlError } from './route.ts'
import { findTask } from './tasks.ts'

/** How far to move: by milliseconds, to an instant, or until a task has a status. */
type AdvanceTarget = { by: number } | { to: number } | { until: { task: string; status: string } }

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

/** The clocks of namespaces. */
export class ClockControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  now(namespace: string): number {
    return clockOf(this.#core, namespace).now()
  }

  status(namespace: string): ClockStatus {
    return clockOf(this.#core, namespace).status()
  }

  /** @throws {ClockError} for an invalid mode or rate. */
  set(namespace: string, { mode, rate }: { mode: ClockMode; rate?: number }): ClockStatus {
    const clock = clockOf(this.#core, namespace)
    clock.setMode(mode, rate)
    const status = clock.status()
    this.#core.events.append({ type: 'clock.changed', at: status.now, namespace, mode, rate: status.rate })
    return status
  }

  /**
   * Advances time. Returns when everything that is due has happened.
   * @throws {ClockError} for an instant in the past; {ControlError} for a task that never reaches the status.
   */
  async advance(namespace: string, target: AdvanceTarget): Promise<Advanced> {
    const clock = clockOf(this.#core, namespace)
    let wokenCount = 0
    if ('by' in target) wokenCount = await clock.advance(target.by)
    else if ('to' in target) wokenCount = await clock.advanceTo(target.to)
    else wokenCount = await this.#advanceUntil(namespace, clock, target.until)
    const now = clock.now()
    return { now, time: new Date(now).toISOString(), wokenCount }
  }

  /** Waits on the clock. */
  sleep(namespace: string, durationMs: number, options?: Parameters<Clock['sleep']>[1]): Promise<number> {
    return clockOf(this.#core, namespace).sleep(durationMs, options)
  }

  /**
   * Opens a deadline, which does not move time while its owner is at work.
   * @throws {ClockError} in a mode without waits.
   */
  deadline(namespace: string, durationMs: number, { as }: { as?: string } = {}): Deadline {
    return clockOf(this.#core, namespace).deadline(durationMs, as)
  }

  /**
   * Pauses an `auto` clock until the hold is released or expires, by default after 30 seconds of host time.
   * @throws {ClockError} for too long a hold, and in modes that a hold can't stop.
   */
  hold(namespace: string, { name, forMs }: { name: string; forMs?: number }): HoldStatus {
    const { auto, mode } = clockOf(this.#core, namespace)
    if (mode === 'auto' || mode === 'manual') return auto.holds.take(name, forMs)
    throw new ClockError(
      `Failed to hold the clock: in mode ${mode} time passes whatever is held. Set mode auto or manual first.`,
    )
  }

  /** @throws {ControlError} for a hold that was released or has expired. */
  renewHold(namespace: string, id: string, forMs?: number): HoldStatus {
    const renewed = clockOf(this.#core, namespace).auto.holds.renew(id, forMs)
    if (renewed) return renewed
    throw unknownHold(id)
  }

  /** @returns whether the hold still existed. */
  releaseHold(namespace: string, id: string): boolean {
    return clockOf(this.#core, namespace).auto.holds.release(id)
  }

  /**
   * Registers a participant: an `auto` clock moves only while all participants wait.
   * @throws {ClockError} for too many participants.
   */
  join(namespace: string, name: string): ClockStatus {
    const clock = clockOf(this.#core, namespace)
    clock.auto.participants.join(name)
    return clock.status()
  }

  /** @throws {ClockError} for an unknown participant. */
  leave(namespace: string, name?: string): ClockStatus {
    const clock = clockOf(this.#core, namespace)
    clock.auto.participants.leave(name)
    return clock.status()
  }

  /** Waiters may change the task on the way, so its timeline is read again after each step. */
  async #advanceUntil(
    namespace: string,
    clock: Clock,
    { task: id, status }: { task: string; status: string },
  ): Promise<number> {
    const { tasks } = this.#core
    const known = Object.keys(findTask(tasks, namespace, id).lifecycle.states)
    if (!known.includes(status)) {
      throw new ControlError(
        400,
        `There is no status "${status}".${didYouMean(status, known)} Use ${known.join(', ')}.`,
      )
    }
    let wokenCount = 0
    for (;;) {
      const { timeline } = findTask(tasks, namespace, id)
      const instant = reaches(timeline, status)
      if (instant === null) {
        const path = timeline.spans.map(({ state }) => state).join(' → ')
        throw new ControlError(409, `Task ${id} never becomes ${status}: its timeline is ${path}.`)
      }
      const now = clock.now()
      if (instant <= now) return wokenCount
      wokenCount += await clock.advance(instant - now)
    }
  }
}

/** @param id of a hold that was released, or has expired. */
export function unknownHold(id: string): ControlError {
  return new ControlError(
    404,
    `There is no hold ${JSON.stringify(id.slice(0, 40))}: it was released, or it has expired. ` +
      'GET /_greenroom/clock lists the present ones.',
  )
}
