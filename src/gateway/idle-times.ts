import { readIdleMs } from '../engine/clock/timers/host-timers.ts'

/**
 * How long the event loop of this process had been idle when an exchange was admitted. It shows whether real time between two requests
 * passed because a client waited, or because the process was busy or did not get a processor. Apart from the entries, which are public.
 */
const idleMs = new WeakMap<object, number>()

/** Notes the idle time at the admission of an exchange. */
export function noteIdleTime(entry: object): void {
  const ms = readIdleMs()
  if (ms !== undefined) idleMs.set(entry, ms)
}

/** Copies what is known of an entry to a copy of it. */
export function copyIdleTime(entry: object, copy: object): void {
  const ms = idleMs.get(entry)
  if (ms !== undefined) idleMs.set(copy, ms)
}

/** How long the process was idle between two admissions; undefined if that is unknown, such as for a recording. */
export function idleMsBetween(before: object, next: object): number | undefined {
  const [from, to] = [idleMs.get(before), idleMs.get(next)]
  return from === undefined || to === undefined ? undefined : to - from
}
