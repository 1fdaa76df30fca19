import { formatDuration } from '../../engine/clock/duration.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { Journal } from '../../gateway/journal.ts'

/** Shorter pauses are usually a program that computes. */
const minSleepMs = 900

/** Less is not worth a hint. */
const minTotalMs = 3_000

/** Measures the real time between requests. */
export interface RealSleeps {
  /** The sum of all long pauses between a response and the next request, in milliseconds. */
  readonly totalMs: () => number
  readonly stop: () => void
}

/** Measures how long a client is idle in real time between its requests. */
export function watchRealSleeps(journal: Pick<Journal, 'subscribe'>): RealSleeps {
  let totalMs = 0
  let isFirst = true
  let settledMs = 0
  const stop = journal.subscribe((_entry, what) => {
    const nowMs = hostTimers.elapsedMs()
    if (what === 'settled') settledMs = nowMs
    else if (!isFirst && nowMs - settledMs >= minSleepMs) totalMs += nowMs - settledMs
    isFirst = false
  })
  return { totalMs: () => totalMs, stop }
}

/** Suggests the flag for a client that sleeps in real time. */
export function hintAtVirtualTimers(
  realMs: number,
  variableFlags: readonly string[],
  { warn }: { readonly warn: (line: string) => void },
): void {
  if (realMs < minTotalMs || variableFlags.includes('--virtual-timers')) return
  const duration = formatDuration(Math.round(realMs / 1_000) * 1_000)
  warn(
    `hint: The client slept ${duration} of real time. If it is a Node program, --virtual-timers lets it sleep in virtual time.`,
  )
}
