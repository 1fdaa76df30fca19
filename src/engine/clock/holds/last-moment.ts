import type { Agents } from '../agents/agents.ts'
import { latestInstant } from '../clock-settings.ts'
import { formatDuration } from '../duration.ts'
import { describeNext, listWaiters } from '../list-waiters.ts'
import type { HeldTime, Ledger, Reason } from './ledger.ts'
import type { Participants } from './participants.ts'

/** What decides how far time can move. */
interface Reach {
  readonly agents: Agents
  readonly participants: Participants
  readonly isExact: boolean
  readonly limitMs: number
  readonly leftMs: number
  readonly pollStepMs: number
  readonly assumes: (what: 'poll') => boolean
}

/** Holds time where it is if nothing is due, or if what is due never comes or lies beyond the limit. */
export function deriveLastMoment(ledger: Ledger, reach: Reach): void {
  const { agents, participants, limitMs } = reach
  const deadlock: Reason = {
    rank: 80,
    outcome: 'deadlock',
    describe: (_holds, time) => {
      const list = listWaiters(time).join(', ')
      if (agents.size === 0)
        return `deadlock: all ${participants.expected} participants are parked, and none can be woken: ${list}`
      const waiting = list || 'no timer is set, and no response or callback is due'
      return `deadlock: every process of the client waits, and nothing can wake it: ${waiting}`
    },
  }
  const describeLimit = (time: HeldTime): string =>
    `the limit is reached: time moves ${formatDuration(limitMs)} by itself at most, and ` +
    `${describeNext(time) ?? 'a poll would move it further'}. Raise clock.limit, or advance by hand`
  const describeIdle = (time: HeldTime): string => {
    const { pollStepMs } = reach
    if (!reach.assumes('poll')) return 'nothing waits on the clock'
    if (pollStepMs > reach.leftMs) return describeLimit(time)
    return `nothing waits on the clock; the next poll of an unfinished task moves it by ${formatDuration(pollStepMs)}`
  }
  const describeEndless = (time: HeldTime): string =>
    time.waiters.length === 0 ? describeIdle(time) : `no waiter can be woken: ${listWaiters(time).join(', ')}`
  const everyone = { who: 'all clients', from: latestInstant + 0.5 }

  ledger.derive(deadlock, (next) => {
    // Each process would have ended if neither a timer nor a server held it.
    const isDeadlock = next
      ? next.due === Infinity && (participants.areKnown || agents.size > 0)
      : reach.isExact && agents.size > 0
    return isDeadlock ? everyone : undefined
  })
  ledger.derive({ rank: 81, describe: (_holds, time) => describeEndless(time) }, (next) =>
    next === undefined || next.due === Infinity ? everyone : undefined,
  )
  ledger.derive(
    { rank: 90, outcome: 'limit', describe: (_holds, time) => describeLimit(time) },
    (next, now) =>
      next && next.due - now > reach.leftMs
        ? { who: 'the limit', from: now + reach.leftMs + 0.5 }
        : undefined,
  )
}
