import { formatDuration } from '../engine/clock/duration.ts'
import { idleMsBetween } from '../gateway/idle-times.ts'
import type { JournalEntry } from '../gateway/journal.ts'

/**
 * Whether the waits of a run are exact. Exact waits are in virtual time only, and equal in every run. They are approximate
 * if clients sleep on the clock by calls, or in real time.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const timing: RunTiming = (await sim.verdict()).timing
 * timing // → 'approximate'
 */
export type RunTiming = 'exact' | 'approximate'

/** Which clock a request is judged by. All other code uses this. */
export const timingOf = ({ timing }: JournalEntry): RunTiming =>
  timing === 'exact' ? 'exact' : 'approximate'

/** Whether a client waits on this clock. Then the waits before its first sleep are known, too. */
export const isOnClock = ({ timing }: JournalEntry): boolean => timing === 'exact' || timing === 'virtual'

/** Whether the clock already shows how long the client waited. */
export const isWaitKnown = ({ timing }: JournalEntry): boolean => timing !== 'assumed'

export const unknownWaits =
  'no client slept on the clock, so its waits are assumed: use --virtual-timers for a command of Node or Python, and sleep over HTTP in another language; in a test, pass clock.sleep to the client as its sleep function'

/** A shorter wait in virtual time counts as none. */
const minVirtualWaitMs = 50

/** The same in real time. A request without a wait may come late, because the host is busy or the client computes. */
const minRealWaitMs = 100

/** The virtual time between two requests, without assumed poll steps. */
function virtualMs(before: JournalEntry, next: JournalEntry): number {
  return next.at - before.at - assumedMs(before, next)
}

function assumedMs(before: JournalEntry, next: JournalEntry): number {
  return Math.max(0, (next.assumedMs ?? 0) - (before.assumedMs ?? 0))
}

/**
 * The longest possible wait between two requests, which measures haste. It is on the host's clock if that counts
 * (simulators §5.8), otherwise on the virtual clock. Unless every timer of the client runs on that clock, the client may
 * also have waited in real time.
 */
export function maxWaitMs(before: JournalEntry, next: JournalEntry): number {
  const realMs = next.wallAt - before.wallAt
  if (next.timing === 'wall') return realMs
  const waitMs = virtualMs(before, next)
  return timingOf(next) === 'exact' ? waitMs : Math.max(waitMs, realMs)
}

/** The shortest possible wait, from the end of the previous response, which measures slowness. */
export function minWaitMs(before: JournalEntry, next: JournalEntry): number {
  const answeredAt = before.settledAt ?? before.at
  const responseMs = answeredAt - before.at
  const betweenMs = next.timing === 'wall' ? next.wallAt - before.wallAt : virtualMs(before, next)
  return Math.max(0, betweenMs - responseMs)
}

/** The wait between two requests in reports. Virtual time is the same in every run. */
export function observedWaitMs(before: JournalEntry, next: JournalEntry): number {
  return next.timing === 'wall' ? next.wallAt - before.wallAt : virtualMs(before, next)
}

/**
 * Whether the client waited before a request; undefined if it may have waited in real time, but its process was busy or did not get a
 * processor in most of that time.
 */
export function hasWaited(before: JournalEntry, next: JournalEntry): boolean | undefined {
  const realMs = next.wallAt - before.wallAt
  if (next.timing === 'wall') return realMs >= minRealWaitMs
  if (virtualMs(before, next) >= minVirtualWaitMs) return true
  if (timingOf(next) === 'exact' || realMs < minRealWaitMs) return false
  return (idleMsBetween(before, next) ?? realMs) >= minRealWaitMs || undefined
}

/** How much shorter than the previous one a wait must be, to count as shorter. */
export const minShrinkMs = ({ timing }: JournalEntry): number => (timing === 'wall' ? minRealWaitMs : 1)

/** The limit below which a wait counts as none, for a message; empty if every millisecond is exact. */
export function formatNoWait(entry: JournalEntry): string {
  const real = `${formatDuration(minRealWaitMs)} of real time`
  if (entry.timing === 'wall') return ` (less than ${real})`
  if (timingOf(entry) === 'exact') return ''
  return ` (less than ${formatDuration(minVirtualWaitMs)} of virtual time and ${real})`
}

/** Formats a wait that was too short. Real milliseconds differ between runs, so the message has the limit instead. */
export function formatShortWait(before: JournalEntry, next: JournalEntry, limitMs: number): string {
  return next.timing === 'wall'
    ? `less than ${formatDuration(limitMs)} of real time`
    : `${formatDuration(virtualMs(before, next))} of virtual time`
}

/** Formats a wait that was too long, in the same way. */
export function formatLongWait({ timing }: JournalEntry, waitMs: number, limitMs: number): string {
  return timing === 'wall'
    ? `more than ${formatDuration(limitMs)} of real time`
    : `${formatDuration(waitMs)} of virtual time`
}
