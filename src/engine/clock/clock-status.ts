import { innermostLine } from '../sending-line.ts'
import { pluralize } from '../wording.ts'
import type { AdvanceBlocker, AutoAdvance } from './auto-advance.ts'
import { latestInstant, type ClockMode, type ClockStatus } from './clock-settings.ts'
import { formatDuration } from './duration.ts'
import type { Deadlock } from './stall.ts'
import type { Waiter, Waiting } from './waiters.ts'

/** Waiters beyond this are only counted. */
const maxListed = 20

/** The inputs of a status. */
interface ClockSnapshot {
  readonly mode: ClockMode
  readonly rate: number
  readonly start: number
  readonly now: number
  readonly wallTime: number
  readonly pollStepMs: number
  readonly auto: AutoAdvance
  /** All waiters, soonest first. */
  readonly waiters: readonly Waiter[]
  readonly deadlock: Deadlock
  /** When a task changes its state next. */
  readonly nextStep: number | null
}

export function statusOf(clock: ClockSnapshot): ClockStatus {
  const { mode, now, wallTime, rate, pollStepMs, auto, waiters, deadlock } = clock
  const next = waiters[0]?.due ?? Infinity
  const nextEvent = Math.min(next, clock.nextStep ?? Infinity)
  const { expected, parked, names } = auto.participants
  const words = { why: describeTime(clock), waiting: listWaiters(clock) }
  return {
    mode,
    now,
    time: new Date(now).toISOString(),
    wallTime: new Date(wallTime).toISOString(),
    rate,
    pollStepMs,
    assumesPollStep: mode === 'auto' && auto.assumes('poll'),
    waiters: waiters.length,
    nextWaiter: next === Infinity ? null : next,
    nextEvent: nextEvent === Infinity ? null : nextEvent,
    waiting: words.waiting,
    holds: auto.holds.list(),
    participants: { expected, parked, names },
    agents: auto.agents.list(),
    isExact: auto.isExact,
    limitLeftMs: auto.leftMs,
    why: words.why,
    stuck: deadlock.report(() => words),
  }
}

/** Formats the waiters, soonest first: `worker-a until 00:01:05`. */
function listWaiters({ waiters, start }: Pick<ClockSnapshot, 'waiters' | 'start'>): string[] {
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

/** The `why` of a status: how time moves, or why it is stopped. */
function describeTime(clock: ClockSnapshot): string {
  const { mode, rate, now, auto, waiters } = clock
  if (now >= latestInstant) {
    return `${mode}: time has reached its end and stays there. Use another namespace, restore an earlier snapshot, or start again without the state`
  }
  if (mode === 'real') return "real: time passes at the host's pace"
  if (mode === 'scaled') return `scaled: time passes at ${rate} times the host's pace`
  if (mode === 'host') return 'host: time is the Date of this process'
  if (mode === 'manual') return `manual: time moves only when it is advanced${listResponses(clock)}`
  const blocker = auto.blocker(now, waiters[0])
  return `auto: ${blocker === undefined ? `moving on: ${describeNext(clock)}` : blockers[blocker](clock)}`
}

/** The delayed responses in mode `manual`, as the end of a sentence. */
function listResponses({ waiters, start }: ClockSnapshot): string {
  const responses = waiters.filter(({ waiting, due }) => waiting.kind === 'answer' && due < Infinity)
  if (responses.length === 0) return ''
  const count = responses.length === 1 ? '1 response waits' : `${responses.length} responses wait`
  return `; ${count}: ${listWaiters({ waiters: responses, start }).join(', ')}`
}

const blockers: Readonly<Record<AdvanceBlocker, (clock: ClockSnapshot) => string>> = {
  advancing: () => 'being advanced by hand',
  reading: ({ auto }) => `reading ${pluralize(auto.reading, 'request')}`,
  held: ({ auto }) =>
    `held by ${auto.holds
      .list()
      .map(({ name, id, expiresInMs }) => `${name} (${id}, for another ${formatSeconds(expiresInMs)})`)
      .join(', ')}`,
  agents: ({ auto }) =>
    `waiting for the processes that take part: ${auto.agents.obstacle() ?? 'none is at work'}`,
  absent: ({ auto, waiters, start }) => {
    const { expected, parked } = auto.participants
    const list = listWaiters({ start, waiters: waiters.filter(({ waiting }) => waiting.kind !== 'work') })
    const parkedList = list.length === 0 ? '' : `: ${list.join(', ')}`
    return `waiting for ${listAbsent(auto)}; ${parked} of ${expected} parked${parkedList}`
  },
  returning: ({ auto }) => {
    const names = [...auto.clients.names(), ...auto.deadlines.reacting]
    return `waiting for ${names.join(', ')} to come back after waking`
  },
  idle: (clock) => {
    const { auto, pollStepMs } = clock
    if (!auto.assumes('poll')) return 'nothing waits on the clock'
    if (pollStepMs > auto.leftMs) return blockers.limit(clock)
    return `nothing waits on the clock; the next poll of an unfinished task moves it by ${formatDuration(pollStepMs)}`
  },
  working: (clock) =>
    `waiting for the owner of ${describeDeadline(clock)}, which is at work: it neither sleeps on the clock nor waits for ` +
    'a delayed answer under this name',
  unsure: (clock) =>
    `waiting for a quiet moment before ${describeDeadline(clock)}, whose owner has more deadlines than waits`,
  endless: (clock) => `no waiter can be woken: ${listWaiters(clock).join(', ')}`,
  deadlock: (clock) =>
    clock.auto.agents.size > 0
      ? `deadlock: every process of the client waits, and nothing can wake it: ${listWaiters(clock).join(', ') || 'no timer is set, and no response or callback is due'}`
      : `deadlock: all ${clock.auto.participants.expected} participants are parked, and none can be woken: ` +
        listWaiters(clock).join(', '),
  limit: (clock) =>
    `the limit is reached: time moves ${formatDuration(clock.auto.limitMs)} by itself at most, and ` +
    `${describeNext(clock) ?? 'a poll would move it further'}. Raise clock.limit, or advance by hand`,
}

function describeDeadline({ waiters, start }: ClockSnapshot): string {
  return listWaiters({ waiters: waiters.slice(0, 1), start }).join('')
}

function describeNext({ start, waiters: [soonest] }: ClockSnapshot): string | undefined {
  return soonest && `${nameOf(soonest.waiting)} waits until ${formatElapsed(soonest.due - start)}`
}

function listAbsent({ participants }: AutoAdvance): string {
  const missing = participants.expected - participants.parked
  const named = participants
    .absent()
    .slice(0, maxListed)
    .map(({ name, unseenMs }) =>
      unseenMs === undefined
        ? `${name} (not seen yet)`
        : `${name} (last seen ${formatSeconds(unseenMs)} ago)`,
    )
  if (named.length === 0) return pluralize(missing, 'more participant')
  // A response without a name may belong to a named participant, so fewer can be missing than are not parked.
  if (named.length > missing) return `${pluralize(missing, 'participant')} of ${named.join(', ')}`
  const others = missing - named.length
  return `participant ${named.join(', ')}${others > 0 ? ` and ${pluralize(others, 'other')}` : ''}`
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
