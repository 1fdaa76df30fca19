import type { ClockStatus } from './clock-settings.ts'
import { waitingList, why, type ClockDescription } from './clock-words.ts'
import type { Stall } from './stall.ts'

/** What a status is made of. */
export interface ClockSnapshot extends Omit<ClockDescription, 'obstacle'> {
  readonly now: number
  readonly wallTime: number
  readonly stall: Stall
}

/** All there is to tell of a clock. */
export function statusOf(standing: ClockSnapshot): ClockStatus {
  const { mode, now, rate, pollStepMs, auto, waiters, stall } = standing
  const next = waiters[0]?.due ?? Infinity
  const { expected, parked, names } = auto.participants
  const words = {
    why: why({ ...standing, obstacle: auto.obstacle(now, waiters[0]) }),
    waiting: waitingList(standing),
  }
  return {
    mode,
    now,
    time: new Date(now).toISOString(),
    wallTime: new Date(standing.wallTime).toISOString(),
    rate,
    pollStepMs,
    assumesPollStep: mode === 'auto' && auto.assumes('poll'),
    waiters: waiters.length,
    nextWaiter: next === Infinity ? null : next,
    waiting: words.waiting,
    holds: auto.holds.list(),
    participants: { expected, parked, names },
    limitLeftMs: auto.leftMs,
    why: words.why,
    stuck: stall.told(() => words),
  }
}
