import * as z from 'zod/mini'
import { didYouMean } from '../engine/did-you-mean.ts'
import { fitsGlob } from '../engine/glob.ts'
import { operations } from '../engine/operations/operations.ts'
import type { JournalEntry, JournalFilter, Outcome } from '../gateway/journal.ts'
import { maxStoredExchanges, type StoredExchange } from '../gateway/messages.ts'
import type { RuleReason } from '../scenario/rules/rule.ts'
import { may } from '../scenario/schema/fields.ts'
import type { ControlDeps } from './deps.ts'
import { count, entry, entryFields, explained, message } from './openapi/control-values.ts'
import { ControlError, listAnswer, readCount, routesFor, type ControlRoute } from './route.ts'

/** An exchange with the reason of each rule. */
export type ExplainedEntry = Omit<JournalEntry, 'reasons'> & { reasons: readonly RuleReason[] }

/** The exchanges of namespaces. */
export class JournalControl {
  readonly #deps: ControlDeps

  constructor(deps: ControlDeps) {
    this.#deps = deps
  }

  /** Oldest first. @throws {ControlError} 400 for a filter that no exchange could match. */
  list(namespace: string, filter: JournalFilter = {}): JournalEntry[] {
    checkFilter(filter)
    const { namespaces } = this.#deps
    return namespaces.has(namespace) ? namespaces.get(namespace).journal.entries(filter) : []
  }

  /**
   * One exchange with the reason of each rule.
   * @throws {ControlError} for a number that is not in the journal, or no longer.
   */
  explain(namespace: string, number: number): ExplainedEntry {
    const entry = this.#find(namespace, number)
    return { ...entry, reasons: entry.reasons() }
  }

  /**
   * Headers and bodies of one exchange, with keys masked.
   * @throws {ControlError} 404 where none are stored, or no longer.
   */
  exchange(namespace: string, number: number): StoredExchange {
    const found = this.findExchange(namespace, number)
    if (found) return found
    const { messages } = this.#deps
    throw new ControlError(
      404,
      messages
        ? `Only the latest ${maxStoredExchanges} exchanges are stored with headers and bodies, and ${number} is older.`
        : 'Headers and bodies are not stored here. Start `greenroom serve` with --bodies.',
    )
  }

  /** Like `exchange`; undefined where none are stored, or no longer. */
  findExchange(namespace: string, number: number): StoredExchange | undefined {
    return this.#deps.messages?.find(this.#find(namespace, number))
  }

  #find(namespace: string, number: number): JournalEntry {
    const entries = this.list(namespace)
    const entry = entries.find((each) => each.number === number)
    if (entry) return entry
    const known =
      entries.length === 0 ? 'none' : `those from ${entries[0]!.number} to ${entries.at(-1)!.number}`
    throw new ControlError(
      404,
      `There is no exchange ${number} in namespace "${namespace}"; the journal knows ${known}.`,
    )
  }
}

const route = routesFor<JournalControl>()

export const journalRoutes: readonly ControlRoute<JournalControl>[] = [
  route(
    'GET /journal',
    'exchanges, oldest first; ?operation= ?task= ?status= ?outcome= ?last=',
    () => ({
      query: z.object({
        operation: may(z.string(), 'An operation, or several by `*`.', 'video.*'),
        task: may(z.string(), 'The id of a task.'),
        status: may(count, 'Of the response.'),
        outcome: may(entryFields.outcome, 'How it ended.'),
        last: may(count, 'Only this many of the latest.'),
      }),
      answer: { json: z.array(entry) },
    }),
    (journal, { namespace, query }) => {
      const entries = journal.list(namespace, query as JournalFilter)
      return listAnswer(entries, entries.length)
    },
  ),
  route(
    'GET /journal/{number}',
    'one exchange, with the reason for which each rule fired or did not',
    () => ({ answer: { json: explained } }),
    (journal, { namespace, params }) => journal.explain(namespace, readCount('number', params['number']!)),
  ),
  route(
    'GET /journal/{number}/exchange',
    'headers and bodies of one exchange, with keys masked',
    () => ({ answer: { json: z.object({ request: message, reply: z.nullable(message) }) } }),
    (journal, { namespace, params }) => journal.exchange(namespace, readCount('number', params['number']!)),
  ),
]

/** The operations of exchanges; reports about tasks are in the journal, too. */
const knownOperations: readonly string[] = [...operations, 'mj.notify']
const outcomes: Readonly<Record<Outcome, true>> = { open: true, completed: true, aborted: true, failed: true }

/** Refuses a filter that no exchange could match: an empty list would look like an answer. */
function checkFilter(filter: JournalFilter): void {
  const { operation, outcome } = filter
  if (operation !== undefined && !knownOperations.some((each) => fitsGlob(operation, each)))
    throw unknownValue('operation', operation, knownOperations, '; * stands for any text')
  if (outcome !== undefined && !Object.hasOwn(outcomes, outcome))
    throw unknownValue('outcome', outcome, Object.keys(outcomes))
}

function unknownValue(what: string, given: string, known: readonly string[], more = ''): ControlError {
  return new ControlError(
    400,
    `"${what}" is ${JSON.stringify(given.slice(0, 60))}, which does not exist.${didYouMean(given, known)} Known: ${known.join(', ')}${more}.`,
  )
}
