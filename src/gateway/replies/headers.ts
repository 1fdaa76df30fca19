import type { Incoming } from '../incoming.ts'
import type { JournalEntry } from '../journal.ts'
import { appendHeaders, headerList, listWithout, type Reply } from './reply.ts'

const version = 'v0.0.0'

/**
 * Any origin may call the gateway.
 * @assumed §9 cross-origin calls are not documented; wire §1.4.
 */
const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Credentials': 'true',
}

const corsList = headerList(corsHeaders)

/**
 * All headers of an answer, as names and values in turn: what node:http writes fastest. What a rule says stands in
 * the place of what all answers say.
 * @assumed §7 the headers that every answer carries are not documented; wire §1.3.
 */
export function headersOf(reply: Reply, incoming: Incoming, entry: JournalEntry): string[] {
  const list = [
    'X-Oneapi-Request-Id',
    entry.requestId,
    'X-Request-Id',
    entry.requestId,
    'X-New-Api-Version',
    version,
    'X-Greenroom-Exchange',
    `${entry.namespace}/${entry.number}`,
    'X-Greenroom-Time',
    String(entry.at),
  ]
  if (entry.rules.length > 0)
    list.push('X-Greenroom-Rule', entry.rules.join(', ').replace(/[^\x20-\x7e]/g, '?'))
  const own = entry.rules.length > 0 ? reply.headers : undefined
  const all = own ? listWithout(list, own) : list
  appendHeaders(all, reply.headers)
  if (incoming.headers['origin'] !== undefined) {
    all.push(...(own ? listWithout(corsList, own) : corsList))
  }
  return all
}

/**
 * What a browser may keep for a day. It must ask anew when a page asks where none did before, as for a canvas behind an
 * image: only the answer to that page allows its origin.
 */
export const keptForADay = { 'Cache-Control': 'public, max-age=86400', Vary: 'Origin' }

/** The answer to a preflight, which comes without a key. */
export const preflightReply: Reply = {
  status: 204,
  headers: {
    ...corsHeaders,
    'Access-Control-Allow-Methods': 'GET,POST,PUT,DELETE,OPTIONS',
    // By the standard the asterisk means every header but this one.
    'Access-Control-Allow-Headers': '*, Authorization',
  },
  body: null,
  delayMs: 0,
}
