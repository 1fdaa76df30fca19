import type { AutoAdvance } from './auto-advance.ts'
import { latestInstant, type ClockMode, type ClockStatus } from './clock-settings.ts'
import type { HeldTime } from './holds/ledger.ts'
import { describeNext, listWaiters } from './list-waiters.ts'
import type { Stall } from './stall.ts'

/** The inputs of a status. */
interface ClockSnapshot extends HeldTime {
  readonly mode: ClockMode
  readonly rate: number
  readonly wallTime: number
  readonly auto: AutoAdvance
  readonly stall: Stall
  /** When a task changes its state next. */
  readonly nextStep: number | null
}

export function statusOf(clock: ClockSnapshot): ClockStatus {
  const { mode, now, wallTime, rate, auto, waiters, stall } = clock
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
    pollStepMs: auto.pollStepMs,
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
    stuck: stall.report(words),
  }
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
  const hold = auto.ledger.before(waiters[0], now)
  return `auto: ${hold ? auto.ledger.describe(hold, clock) : `moving on: ${describeNext(clock)}`}`
}

/** The delayed responses in mode `manual`, as the end of a sentence. */
function listResponses({ waiters, start }: ClockSnapshot): string {
  const responses = waiters.filter(({ waiting, due }) => waiting.kind === 'answer' && due < Infinity)
  if (responses.length === 0) return ''
  const count = responses.length === 1 ? '1 response waits' : `${responses.length} responses wait`
  return `; ${count}: ${listWaiters({ waiters: responses, start }).join(', ')}`
}
