import { hash128Hex } from '../../engine/random/hash.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Decision } from './line.ts'

/** The number of an exchange is its place, not a decision. */
const placeHeader = 'X-Greenroom-Exchange'

/** Makes the body of a response readable more than once: the pieces of a stream don't depend on when they are read. */
export function makeReadable(exchange: Exchange): void {
  const { body } = exchange.reply
  if (typeof body !== 'object' || body === null || !('pieces' in body)) return
  exchange.reply = { ...exchange.reply, body: { ...body, pieces: [...body.pieces] } }
}

/** What was decided for a request. Wall time, doors and what became of the answer are no part of it. */
export function decisionOf({ reply, headers }: Exchange, entry: JournalEntry): Decision {
  const { status, operation, task, rules, shown, fault, delayMs } = entry
  const wait = Number.isFinite(delayMs) ? delayMs : null
  const said = headers.filter((_, index) => headers[index - (index % 2)] !== placeHeader)
  const hash = hash128Hex(JSON.stringify([reply.status, said, wait, reply.effect ?? null, reply.body]))
  return { status, operation, task, rules, shown, fault, delayMs: wait, hash }
}

/** The first respect in which two decisions differ; undefined when they are the same. */
export function differenceOf(one: Decision, other: Decision): string | undefined {
  if (one.hash === other.hash && one.status === other.status) return undefined
  for (const name of ['status', 'operation', 'task', 'rules', 'shown', 'fault', 'delayMs'] as const) {
    const [before, now] = [JSON.stringify(one[name]), JSON.stringify(other[name])]
    if (before !== now) return `${name} was ${before}, now ${now}`
  }
  return `the answer was ${one.hash.slice(0, 8)}, now ${other.hash.slice(0, 8)}, in its headers or body`
}
