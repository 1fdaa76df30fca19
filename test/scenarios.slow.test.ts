import { expect, it } from 'vitest'
import type { JournalEntry } from '../src/gateway/journal.ts'
import type { Verdict } from '../src/judge/index.ts'
import { failuresOf, play } from './support/play.ts'
import { load, names } from './support/shipped-scenarios.ts'

/** A verdict without approximations of faults, which depend on the transport. */
const comparable = ({ results, requests, elapsedMs }: Verdict): object => ({ results, requests, elapsedMs })

/** Where requests come at once and only the first are let through, their order decides, and sockets keep none. */
const orderDecides = new Set(['a-bad-day', 'rate-limit-burst'])

/** Requests and decisions, with times and rules. */
const decisions = (journal: readonly JournalEntry[]): object[] =>
  journal.map((entry) => ({
    ...Object.fromEntries(decided.map((name) => [name, entry[name]])),
    reasons: entry.reasons(),
  }))

const decided = [
  ...(['number', 'at', 'operation', 'method', 'path', 'task'] as const),
  ...(['status', 'rules', 'delayMs', 'reportedStatus', 'fault'] as const),
]

it.each(names)(
  'lets the reference client pass %s, over a socket as through MSW and directly',
  async (name) => {
    const loaded = await load(name)
    const socket = await play(loaded, { transport: 'socket' })
    expect(failuresOf(socket.verdict)).toEqual([])
    for (const transport of ['msw', 'direct'] as const) {
      const other = await play(loaded, { transport })
      expect(comparable(other.verdict)).toEqual(comparable(socket.verdict))
      if (!orderDecides.has(name)) expect(decisions(other.journal)).toEqual(decisions(socket.journal))
      // What happens on a bad day is a matter of chance.
      if (name === 'a-bad-day') continue
      const endings = [other, socket].map(({ outcomes }) => outcomes.map(({ ended }) => ended))
      expect(endings[0]).toEqual(endings[1])
    }
  },
)
