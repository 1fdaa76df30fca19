import { formatDuration } from '../engine/clock/duration.ts'
import type { JournalEntry } from '../gateway/journal.ts'

/**
 * Whether the waits of a run are exact: virtual time alone, equal in every run. They are approximate if clients sleep on the
 * clock by calls, or in real time.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const timing: RunTiming = (await sim.verdict()).timing
 * timing // → 'approximate'
 */
export type RunTiming = 'exact' | 'approximate'

/** The one place that reads by which clock a request is judged. */
export const timingOf = ({ timing }: JournalEntry): RunTiming =>
  timing === 'exact' ? 'exact' : 'approximate'

/** Whether a client waits on this clock. Then the waits before its first sleep there are known, too. */
export const isOnClock = ({ timing }: JournalEntry): boolean => timing === 'exact' || timing === 'virtual'

/** Whether the clock shows how long the client waited, whatever comes later. */
export const isWaitKnown = ({ timing }: JournalEntry): boolean => timing !== 'assumed'

export const unknownWaits =
  'no client slept on the clock, so its waits are assumed: pass clock.sleep to the client as its sleep function'

/** A shorter wait in virtual time counts as none. */
const minVirtualWaitMs = 50

/** Likewise in real time, where a request without a wait may come late: the host is busy, or the client computes. */
const minRealWaitMs = 100

/** Virtual time between two requests, without the poll steps that were assumed. */
function virtualMs(before: JournalEntry, next: JournalEntry): number {
  return next.at - before.at - assumedMs(before, next)
}

function assumedMs(before: JournalEntry, next: JournalEntry): number {
  return Math.max(0, (next.assumedMs ?? 0) - (before.assumedMs ?? 0))
}

/**
 * The longest wait between two requests that is possible, the measure for haste: by the host's clock where that counts
 * (simulators §5.8); else by the virtual clock. Unless every timer of the client runs on that clock, it may have waited in
 * real time as well.
 */
export function maxWaitMs(before: JournalEntry, next: JournalEntry): number {
  const realMs = next.wallAt - before.wallAt
  if (next.timing === 'wall') return realMs
  const waitMs = virtualMs(before, next)
  return timingOf(next) === 'exact' ? waitMs : Math.max(waitMs, realMs)
}

/** The shortest wait that is possible, from the end of the response before: the measure for slowness. */
export function minWaitMs(before: JournalEntry, next: JournalEntry): number {
  const answeredAt = before.settledAt ?? before.at
  const responseMs = answeredAt - before.at
  const betweenMs = next.timing === 'wall' ? next.wallAt - before.wallAt : virtualMs(before, next)
  return Math.max(0, betweenMs - responseMs)
}

/** The wait between two requests for reports: virtual time is the same in every run. */
export function observedWaitMs(before: JournalEntry, next: JournalEntry): number {
  return next.timing === 'wall' ? next.wallAt - before.wallAt : virtualMs(before, next)
}

/** Whether the client waited at all before a request. */
export function hasWaited(before: JournalEntry, next: JournalEntry): boolean {
  const realMs = next.wallAt - before.wallAt
  if (next.timing === 'wall') return realMs >= minRealWaitMs
  if (virtualMs(before, next) >= minVirtualWaitMs) return true
  return timingOf(next) === 'approximate' && realMs >= minRealWaitMs
}

/** How much shorter than the one before a wait must be to count as shorter. */
export const minShrinkMs = ({ timing }: JournalEntry): number => (timing === 'wall' ? minRealWaitMs : 1)

/** What counts as no wait, for a message; empty where every millisecond is exact. */
export function formatNoWait(entry: JournalEntry): string {
  const real = `${formatDuration(minRealWaitMs)} of real time`
  if (entry.timing === 'wall') return ` (less than ${real})`
  if (timingOf(entry) === 'exact') return ''
  return ` (less than ${formatDuration(minVirtualWaitMs)} of virtual time and ${real})`
}

/** A wait that was too short, for a message. Real milliseconds differ from run to run, so the limit stands for them. */
export function formatShortWait(before: JournalEntry, next: JournalEntry, limitMs: number): string {
  return next.timing === 'wall'
    ? `less than ${formatDuration(limitMs)} of real time`
    : `${formatDuration(virtualMs(before, next))} of virtual time`
}

/** A wait that was too long, likewise. */
export function formatLongWait({ timing }: JournalEntry, waitMs: number, limitMs: number): string {
  return timing === 'wall'
    ? `more than ${formatDuration(limitMs)} of real time`
    : `${formatDuration(waitMs)} of virtual time`
}
