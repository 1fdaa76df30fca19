import type { AutoAdvance, AdvanceBlocker } from './auto-advance.ts'
import type { ClockMode } from './clock-settings.ts'
import { formatDuration } from './duration.ts'
import type { Waiter } from './waiters.ts'
import { describeWaiting, elapsed, nameOf } from './waiting.ts'

/** As many are named; the others are counted. */
const maxListedNames = 20

/** What is told of a clock in words. */
export interface ClockDescription {
  readonly mode: ClockMode
  readonly rate: number
  readonly start: number
  readonly auto: AutoAdvance
  readonly obstacle: AdvanceBlocker | undefined
  /** Everything that waits, soonest first. */
  readonly waiters: readonly Waiter[]
  readonly pollStepMs: number
}

/** Who waits for what, soonest first. */
export function waitingList({ waiters, start }: Pick<ClockDescription, 'waiters' | 'start'>): string[] {
  const named = waiters
    .slice(0, maxListedNames)
    .map(({ waiting, due }) => describeWaiting(waiting, due, start))
  const more = waiters.length - named.length
  return more === 0 ? named : [...named, `and ${more} more`]
}

/** The responses that wait in mode `manual`, as the end of a sentence; empty when there are none. */
function waitingResponses({ waiters, start }: ClockDescription): string {
  const responses = waiters.filter(({ waiting, due }) => waiting.kind === 'answer' && due < Infinity)
  if (responses.length === 0) return ''
  const count = responses.length === 1 ? '1 response waits' : `${responses.length} responses wait`
  return `; ${count}: ${waitingList({ waiters: responses, start }).join(', ')}`
}

/** What time does, and where it stands still, why: one line. */
export function why(told: ClockDescription): string {
  const { mode, rate } = told
  if (mode === 'real') return "real: time passes at the host's pace"
  if (mode === 'scaled') return `scaled: time passes at ${rate} times the host's pace`
  if (mode === 'host') return 'host: time is the Date of this process'
  if (mode === 'manual') return `manual: time moves only when it is advanced${waitingResponses(told)}`
  return `auto: ${told.obstacle === undefined ? movesOn(told) : obstacles[told.obstacle](told)}`
}

const obstacles: Readonly<Record<AdvanceBlocker, (told: ClockDescription) => string>> = {
  advancing: () => 'being advanced by hand',
  reading: ({ auto }) => `reading ${counted(auto.reading, 'request')}`,
  held: ({ auto }) =>
    `held by ${auto.holds
      .list()
      .map(({ name, id, expiresInMs }) => `${name} (${id}, for another ${seconds(expiresInMs)})`)
      .join(', ')}`,
  absent: (told) => {
    const { expected, parked } = told.auto.participants
    const list = parkedList(told)
    return `waiting for ${absentees(told.auto)}; ${parked} of ${expected} parked${list === '' ? '' : `: ${list}`}`
  },
  returning: ({ auto }) => `waiting for ${auto.clients.names().join(', ')} to come back after waking`,
  nobody: (told) => {
    const { auto, pollStepMs } = told
    if (!auto.assumes('poll')) return 'nobody waits on the clock'
    if (pollStepMs > auto.leftMs) return obstacles.limit(told)
    return `nobody waits on the clock; looking again at an unfinished task moves it by ${formatDuration(pollStepMs)}`
  },
  endless: (told) => `nobody who waits can be woken: ${waitingList(told).join(', ')}`,
  deadlock: (told) =>
    `deadlock: all ${told.auto.participants.expected} participants are parked, and nobody can be woken: ` +
    waitingList(told).join(', '),
  limit: (told) =>
    `the limit is reached: time moves ${formatDuration(told.auto.limitMs)} by itself at most, and ` +
    `${next(told) ?? 'a poll would move it further'}. Raise clock.limit, or advance by hand`,
}

function movesOn(told: ClockDescription): string {
  return `moving on: ${next(told)}`
}

function next({ start, waiters: [soonest] }: ClockDescription): string | undefined {
  return soonest && `${nameOf(soonest.waiting)} waits until ${elapsed(soonest.due - start)}`
}

function parkedList(told: ClockDescription): string {
  return waitingList({
    ...told,
    waiters: told.waiters.filter(({ waiting }) => waiting.kind !== 'work'),
  }).join(', ')
}

function absentees({ participants }: AutoAdvance): string {
  const { expected, parked } = participants
  const named = participants
    .absent()
    .slice(0, maxListedNames)
    .map(({ name, unseenMs }) =>
      unseenMs === undefined ? `${name} (not seen yet)` : `${name} (last seen ${seconds(unseenMs)} ago)`,
    )
  const missing = expected - parked
  if (named.length === 0) return counted(missing, 'more participant')
  // An answer without a name may be what a named one waits for, so fewer may be missing than are not parked.
  if (named.length > missing) return `${counted(missing, 'participant')} of ${named.join(', ')}`
  const others = missing - named.length
  return `participant ${named.join(', ')}${others > 0 ? ` and ${counted(others, 'other')}` : ''}`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
