import type { Respond } from '../../scenario/rules/rule.ts'
import { parseDuration } from '../../engine/clock/duration.ts'
import { abortError, GatewayError } from './errors.ts'
import { isLeftToServer } from './hop-by-hop.ts'
import { overrideHeaders, type Headers, type Reply } from './reply.ts'

/** Whether a rule's answer stands in the place of the gateway's: then nothing happens but the answer. */
export function replaces({ status, body, error, code }: Respond): boolean {
  return (
    body !== undefined || error !== undefined || code !== undefined || (status !== undefined && status >= 400)
  )
}

/**
 * A rule's answer in the place of the gateway's: a body as it is, or a refusal in an envelope.
 *
 * @assumed §7 errors are not documented; wire §2.1, and §2.3 for the envelope of a refusal that was only asked for by its
 * status.
 * @param refuse puts a refusal into the envelope of the surface.
 * @param now the instant on the virtual clock, for dates in `Retry-After`.
 */
export function scriptedReply(respond: Respond, refuse: (error: GatewayError) => Reply, now: number): Reply {
  const { body, status = body === undefined ? statusOf(respond) : 200, code, description } = respond
  const headers = ownHeaders(respond, now)
  if (body !== undefined) {
    const isText = typeof body === 'string'
    const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
    return {
      status,
      headers: overrideHeaders({ 'Content-Type': type }, headers),
      body: isText ? body : JSON.stringify(body),
      delayMs: 0,
    }
  }
  if (code !== undefined) {
    const error = new GatewayError(status, description ?? '', () => ({
      code,
      description: description ?? '',
      result: null,
      properties: {},
    }))
    return withHeaders(error.reply(''), headers)
  }
  const { message = messages.get(status) ?? `Status ${status}`, code: word, type } = respond.error ?? {}
  return withHeaders(refuse(abortError(status, message, word, type)), headers)
}

/** The gateway's own answer, with what a rule says of status and headers. */
export function adjusted(reply: Reply, respond: Respond, now: number): Reply {
  const told = withHeaders(reply, ownHeaders(respond, now))
  return { ...told, status: respond.status ?? reply.status }
}

function ownHeaders(respond: Respond, now: number): Headers {
  const said = Object.entries(respond.headers ?? {})
  const spelt = said
    .map(([name, value]) => [doorsOwn.get(name.toLowerCase()) ?? name, value] as const)
    .filter(([name, value]) => !isLeftToServer(name, value))
  return overrideHeaders(retryHeader(respond, now), Object.fromEntries(spelt))
}

/** What a door says unless it is said already, as doors write it. */
const doorsOwn = new Map([
  ['date', 'Date'],
  ['connection', 'Connection'],
  ['keep-alive', 'Keep-Alive'],
])

function withHeaders(reply: Reply, own: Headers): Reply {
  const { body } = reply
  if (typeof body !== 'object' || body === null || !('conditions' in body)) {
    return { ...reply, headers: overrideHeaders(reply.headers, own) }
  }
  // What bytes say of themselves is only known when they are there.
  return { ...reply, body: { ...body, conditions: { ...body.conditions, instead: own } } }
}

/** How long a client was asked to wait, read off an answer; null when it wasn't. */
export function retryAfterOf({ headers }: Reply, now: number): number | null {
  const value = headers['Retry-After'] ?? headers['retry-after']
  if (value === undefined) return null
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function retryHeader({ retryAfter, retryAfterFormat }: Respond, now: number): Record<string, string> {
  if (retryAfter === undefined) return {}
  const waitMs = retryAfter === 'auto' ? 1_000 : parseDuration(retryAfter)
  const seconds = Math.ceil(waitMs / 1_000)
  if (retryAfterFormat === 'date') return { 'Retry-After': new Date(now + seconds * 1_000).toUTCString() }
  return { 'Retry-After': String(seconds) }
}

/** A drawing code is an answer like any other; an error that says no status is the gateway's trouble. */
function statusOf({ code }: Respond): number {
  return code === undefined ? 500 : 200
}

const messages: ReadonlyMap<number, string> = new Map([
  [400, 'Invalid request'],
  [401, 'Invalid token'],
  [403, 'Forbidden'],
  [404, 'Not found'],
  [408, 'Request timeout'],
  [409, 'Conflict'],
  [429, 'Too many requests'],
  [500, 'Internal server error'],
  [502, 'Bad gateway'],
  [503, 'Service unavailable'],
  [504, 'Gateway timeout'],
])
