import type { ClockStatus } from '../engine/clock/clock-settings.ts'
import { isFake } from '../engine/clock/timers/host-timers.ts'
import type { RealSleep } from './real-sleep.ts'

/** A test timed out while something waited for a time that did not move, or while its client slept in real time. */
export class TimeStoodStill extends Error {
  override name = 'TimeStoodStill'

  constructor(message: string) {
    super(message)
    this.stack = `${this.name}: ${message}`
  }
}

/**
 * Why a test may have run out of its time, as far as the clocks know; undefined where they are no obstacle.
 * @param status where the clock of the test stands.
 * @param sleep how long its client slept in real time.
 */
export function explainTimeout(
  { mode, why, stuck, waiting }: ClockStatus,
  sleep: Pick<RealSleep, 'explain'>,
): string | undefined {
  if (isFake(globalThis.process?.nextTick)) {
    return (
      "process.nextTick is faked, and Node's own fetch and streams stand still with it. Leave it and queueMicrotask out " +
      'of toFake.'
    )
  }
  const faked = fakedTimers()
  if (stuck) return `time stands still: ${why}`
  if (faked === 0) {
    return mode === 'manual' && waiting.length > 0 ? `time stands still: ${why}` : sleep.explain(mode)
  }
  const timers = `${faked} faked ${faked === 1 ? 'timer waits' : 'timers wait'} for somebody to turn them`
  if (mode !== 'host') {
    return (
      `${timers}, and the gateway's clock, in mode ${mode}, doesn't. Give the client gateway.clock.sleep, or use ` +
      "clock: { mode: 'host' } and turn the timers, as vi.setTimerTickMode('nextTimerAsync') does by itself."
    )
  }
  return (
    `${timers}, and in mode host the gateway's clock waits with them` +
    `${waiting.length > 0 ? ` (${waiting.join('; ')})` : ''}. Turn them, as by vi.advanceTimersByTimeAsync(5000), or ` +
    "let vi.setTimerTickMode('nextTimerAsync') do it."
  )
}

/** How many timers wait that somebody has faked. */
function fakedTimers(): number {
  if (!isFake(globalThis.setTimeout)) return 0
  const { clock } = globalThis.setTimeout as { clock?: { countTimers?: () => number } }
  return clock?.countTimers?.() ?? 0
}
