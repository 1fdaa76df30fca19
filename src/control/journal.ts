import { once } from '../engine/once.ts'
import { entryFields, entrySchema, explainedSchema, type ExplainedEntry } from './entry-schema.ts'
import { count, ControlError, listAnswer, readCount, routesFor, type ControlRoute } from './route.ts'
import * as z from 'zod/mini'
import { didYouMean } from '../engine/did-you-mean.ts'
import { fitsGlob } from '../engine/glob.ts'
import type { JournalEntry, JournalFilter, Outcome } from '../gateway/journal.ts'
import { maxStoredExchanges, type StoredExchange } from '../gateway/messages.ts'
import { may } from '../scenario/schema/fields.ts'
import type { ControlCore } from './core.ts'

/** The exchanges of namespaces. */
export class JournalControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  /** The exchanges, oldest first. @throws {ControlError} 400 for a filter that no exchange could match. */
  list(namespace: string, filter: JournalFilter = {}): JournalEntry[] {
    const { namespaces, operations } = this.#core
    checkFilter(filter, operations.names)
    return namespaces.has(namespace) ? namespaces.get(namespace).journal.entries(filter) : []
  }

  /**
   * One exchange with the reason of each rule.
   * @throws {ControlError} for a number that is not, or no longer, in the journal.
   */
  explain(namespace: string, number: number): ExplainedEntry {
    const entry = this.#find(namespace, number)
    return { ...entry, reasons: entry.reasons() }
  }

  /**
   * Headers and bodies of one exchange, with keys masked.
   * @throws {ControlError} 404 if they are not, or no longer, stored.
   */
  exchange(namespace: string, number: number): StoredExchange {
    const found = this.findExchange(namespace, number)
    if (found) return found
    const { messages } = this.#core
    throw new ControlError(
      404,
      messages
        ? `Only the latest ${maxStoredExchanges} exchanges are stored with headers and bodies, and ${number} is older.`
        : 'Headers and bodies are not stored here. Set bodies: true in the config of `greenroom serve`.',
    )
  }

  /** Like `exchange`, but returns undefined if they are not, or no longer, stored. */
  findExchange(namespace: string, number: number): StoredExchange | undefined {
    return this.#core.messages?.find(this.#find(namespace, number))
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

const messageSchema = once(() =>
  z.object({
    line: z.string(),
    headers: z.array(z.array(z.string())),
    body: z.string(),
    truncated: z.boolean(),
  }),
)

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
        outcome: may(entryFields().outcome, 'How it ended.'),
        last: may(count, 'Only this many of the latest.'),
      }),
      answer: { json: z.array(entrySchema()) },
    }),
    (journal, { namespace, query }) => {
      const entries = journal.list(namespace, query as JournalFilter)
      return listAnswer(entries, entries.length)
    },
  ),
  route(
    'GET /journal/{number}',
    'one exchange, with the reason for which each rule fired or did not',
    () => ({ answer: { json: explainedSchema() } }),
    (journal, { namespace, params }) => journal.explain(namespace, readCount('number', params['number']!)),
  ),
  route(
    'GET /journal/{number}/exchange',
    'headers and bodies of one exchange, with keys masked',
    () => ({ answer: { json: z.object({ request: messageSchema(), reply: z.nullable(messageSchema()) }) } }),
    (journal, { namespace, params }) => journal.exchange(namespace, readCount('number', params['number']!)),
  ),
]

const outcomes: Readonly<Record<Outcome, true>> = { open: true, completed: true, aborted: true, failed: true }

/** Refuses a filter that no exchange could match, because an empty list would be misleading. */
function checkFilter(filter: JournalFilter, knownOperations: readonly string[]): void {
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
