import { innermostLine } from '../sending-line.ts'
import type { HeldTime } from './holds/ledger.ts'
import type { Waiting } from './waiters.ts'

/** Names beyond this are only counted. */
export const maxListed = 20

/** Formats the waiters, soonest first: `worker-a until 00:01:05`. */
export function listWaiters({ waiters, start }: Pick<HeldTime, 'waiters' | 'start'>): string[] {
  const listed = waiters.slice(0, maxListed).map(({ waiting, due }) => {
    return `${nameOf(waiting)} ${due === Infinity ? 'forever' : `until ${formatElapsed(due - start)}`}`
  })
  const more = waiters.length - listed.length
  return more === 0 ? listed : [...listed, `and ${more} more`]
}

/** Formats one waiter: `worker-a`, or `a delayed answer (#41) to worker-a`. */
function nameOf({ kind, name, number, place, isTimer }: Waiting): string {
  if (kind === 'work') return 'background work'
  if (isTimer) return `a timer of ${name}`
  if (kind === 'deadline') return name === undefined ? 'a deadline' : `a deadline of ${name}`
  if (kind === 'sleep') return name ?? 'a client without a name'
  const sent = place === undefined ? '' : `, sent at ${innermostLine(place)}`
  const which = number === undefined ? '' : ` (#${number}${sent})`
  return `a delayed answer${which}${name === undefined ? '' : ` to ${name}`}`
}

/** A span as hours, minutes and seconds: `00:01:05`, or `00:01:05.250`. */
function formatElapsed(spanMs: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const rest = spanMs % 1_000
  const text = `${two(spanMs / 3_600_000)}:${two((spanMs / 60_000) % 60)}:${two((spanMs / 1_000) % 60)}`
  return rest === 0 ? text : `${text}.${String(rest).padStart(3, '0')}`
}

/** Formats the next waiter and its instant; undefined if nothing waits. */
export function describeNext({ start, waiters: [soonest] }: HeldTime): string | undefined {
  return soonest && `${nameOf(soonest.waiting)} waits until ${formatElapsed(soonest.due - start)}`
}
