import { alphanumerics, type Draws } from '../../engine/random/draws.ts'
import type { GatewayRequest } from '../request.ts'
import type { JournalEntry } from '../journal.ts'
import { appendHeaders, headerList, listWithout, type Headers, type Reply } from './reply.ts'

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
 * All headers of a response, as names and values in turn. Headers of a rule replace the common ones.
 * @param isGateways whether an API of the gateway answers. Another vendor's has none of its headers.
 * @assumed §7 the headers that every response carries are not documented; wire §1.3.
 */
export function headersOf(
  reply: Reply,
  incoming: GatewayRequest,
  entry: JournalEntry,
  isGateways = true,
): string[] {
  const { requestId } = entry
  const list = isGateways
    ? ['X-Oneapi-Request-Id', requestId, 'X-Request-Id', requestId, 'X-New-Api-Version', version]
    : ['X-Request-Id', requestId]
  list.push(
    'X-Greenroom-Exchange',
    `${entry.namespace}/${entry.number}`,
    'X-Greenroom-Time',
    String(entry.at),
  )
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
 * Lets a browser cache a response for a day, but separately for cross-origin requests, such as that of a canvas after an
 * image: only the response to those allows the origin.
 */
export const cachedForADay = { 'Cache-Control': 'public, max-age=86400', Vary: 'Origin' }

/** The response to a preflight, which has no key. */
export const preflightReply: Reply = {
  status: 204,
  headers: {
    ...corsHeaders,
    'Access-Control-Allow-Methods': 'GET,POST,PUT,DELETE,OPTIONS',
    // By the standard, the asterisk stands for every header except this one.
    'Access-Control-Allow-Headers': '*, Authorization',
  },
  body: null,
  delayMs: 0,
}

/**
 * Whether a response must leave a header to the server that writes it. `Connection` may only ask to close: with
 * `keep-alive`, node:http would keep a connection open that the client wants to close (RFC 9112 §9.6).
 */
export function isLeftToServer(name: string, value: string): boolean {
  return name.toLowerCase() === 'connection' && !/(?:^|,)\s*close\s*(?:,|$)/i.test(value)
}

/** The headers of a fetch response, without those that are left to the server. */
export function listHeaders(headers: Iterable<[string, string]>): [string, string][] {
  return [...headers].filter(([name, value]) => !isLeftToServer(name, value))
}

/** Formats `Date` headers, which are in virtual time. Reuses the last one within its second. */
export function dateHeaders(): (now: number) => string {
  let second = NaN
  let text = ''
  return (now) => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      text = new Date(now).toUTCString()
    }
    return text
  }
}

/** Whether a header is already set, such as by a rule. @param headers names and values in turn. */
export function hasHeader(headers: readonly string[], name: 'Date' | 'Content-Length'): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return true
  return false
}

const build = '8268d9d6'

/**
 * Makes request ids, which every response carries: UTC date and time, nine digits of nanoseconds, eight characters fixed
 * per build and eight drawn ones. The same request at the same virtual time has the same id, whatever came before it.
 *
 * @assumed §7 request ids are not documented; wire §1.3.
 * @returns a function of the instant, the request's identity and how often it came before.
 */
export function requestIds(draws: Draws): (now: number, identity: string, attempt: number) => string {
  // Formatting a date is slow, and many requests share a second.
  let second = -1
  let stamp = ''

  return (now, identity, attempt) => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)
    }
    const words = draws.words('request.id', identity, attempt)
    const nanoseconds = (now % 1000) * 1_000_000 + (words[0]! % 1_000_000)
    // The journal retains the id. `join()` makes a flat string; `+` would make a rope of four.
    return [stamp, String(nanoseconds).padStart(9, '0'), build, lettersOf(words)].join('')
  }
}

/** Eight characters from the last three words of a draw. */
function lettersOf(words: Uint32Array): string {
  const at = (word: number, shift: number): number =>
    alphanumerics.charCodeAt(((words[word]! >>> shift) & 0x7ff) % alphanumerics.length)
  return String.fromCharCode(
    at(1, 0),
    at(1, 11),
    at(1, 21),
    at(2, 0),
    at(2, 11),
    at(2, 21),
    at(3, 0),
    at(3, 11),
  )
}

/** The `Retry-After` of a response in milliseconds; null without one. */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const value = headers['Retry-After'] ?? headers['retry-after']
  if (value === undefined) return null
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
