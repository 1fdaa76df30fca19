import type { Exchange } from '../exchange.ts'
import { editsFields } from '../replies/edit-fields.ts'
import { replaces } from '../replies/scripted.ts'

/** What a response says of its task, as a client can read it: its end, another state, or no state. */
export type BodyReport = 'end' | 'state' | 'nothing'

/**
 * What a client can read of a task in a response that a rule or a fault changed; undefined if the gateway's own response tells
 * the present state.
 */
export function readReportedEnd(x: Exchange): BodyReport | undefined {
  const { task, decision, reply, viewedAt, now, entry } = x
  if (!task || entry.role === 'submit') return undefined
  const { respond } = decision
  if (respond && (replaces(respond) || editsFields(respond))) return readBody(reply.body)
  return viewedAt === now ? undefined : x.sentView.final ? 'end' : 'state'
}

function readBody(body: unknown): BodyReport {
  if (typeof body !== 'string') return 'nothing'
  try {
    return readJson(JSON.parse(body), 0)
  } catch {
    return 'nothing'
  }
}

/** Names of fields that tell a state, such as `status`, `taskStatus` or `data.task_state`. */
const stateField = /(?:^|_)(?:status|state|phase)$|[a-z](?:Status|State|Phase)$/
const endWord =
  /^(?:succe(?:ed|eded|ss)|complete|completed|done|finished|fail|failed|failure|cancell?ed|expired|rejected)$/i
/** Flags of an end, such as `done` of long-running operations. */
const endFlag = /^(?:(?:is_?)?(?:done|finished|completed|ended))$/i
const maxDepth = 10

/** The words of the API may be others: a rule or a quirk may replace them. */
function readJson(value: unknown, depth: number): BodyReport {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return 'nothing'
  let bodyReports: BodyReport = 'nothing'
  for (const [key, field] of Object.entries(value)) {
    const isState = typeof field === 'string' && stateField.test(key)
    if ((isState && endWord.test(field)) || (field === true && endFlag.test(key))) return 'end'
    const inner = isState || (field === false && endFlag.test(key)) ? 'state' : readJson(field, depth + 1)
    if (inner === 'end') return 'end'
    if (inner === 'state') bodyReports = 'state'
  }
  return bodyReports
}
