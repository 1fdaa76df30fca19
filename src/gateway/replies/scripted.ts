import type { Respond } from '../../scenario/vocabulary/types.ts'
import { parseDuration } from '../../engine/clock/duration.ts'
import { abortError, GatewayError } from './errors.ts'
import { editFields, editsFields } from './edit-fields.ts'
import { isLeftToServer } from './headers.ts'
import { overrideHeaders, type Headers, type Reply } from './reply.ts'

/** Whether a rule's response replaces the gateway's. Then the operation is not carried out. */
export function replaces({ status, body, error, code }: Respond): boolean {
  return (
    body !== undefined || error !== undefined || code !== undefined || (status !== undefined && status >= 400)
  )
}

/**
 * The response of a rule: a body, unchanged, or a refusal in an envelope.
 *
 * @assumed §7 errors are not documented; wire §2.1, and §2.3 for the envelope of a refusal that has only a status.
 * @param refuse puts a refusal into the envelope of the operation.
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
  // Some envelopes repeat Retry-After.
  return withHeaders(refuse(abortError(status, message, word, type).withHeaders(headers)), headers)
}

/**
 * Adjusts the gateway's own response: sets the status and headers of a rule, and removes and sets fields.
 *
 * @param onEdit called for each body and event of a stream in which a field changes.
 */
export function adjustReply(
  reply: Reply,
  respond: Respond,
  now: number,
  onEdit: () => void = () => {},
): Reply {
  const { status = reply.status } = respond
  const edited = editsFields(respond) ? editFields(reply, respond, onEdit) : reply
  return { ...withHeaders(edited, ownHeaders(respond, now)), status }
}

function ownHeaders(respond: Respond, now: number): Headers {
  const headers = Object.entries(respond.headers ?? {})
    .map(([name, value]) => [serverHeaders.get(name.toLowerCase()) ?? name, value] as const)
    .filter(([name, value]) => !isLeftToServer(name, value))
  return overrideHeaders(retryHeader(respond, now), Object.fromEntries(headers))
}

/** Headers that transports add unless they are set, or that the journal reads, in their usual spelling. */
const serverHeaders = new Map([
  ['retry-after', 'Retry-After'],
  ['date', 'Date'],
  ['connection', 'Connection'],
  ['keep-alive', 'Keep-Alive'],
])

function withHeaders(reply: Reply, own: Headers): Reply {
  const { body } = reply
  if (typeof body !== 'object' || body === null || !('conditions' in body)) {
    return { ...reply, headers: overrideHeaders(reply.headers, own) }
  }
  // The headers of media are known only when its bytes are rendered.
  return { ...reply, body: { ...body, conditions: { ...body.conditions, instead: own } } }
}

function retryHeader({ retryAfter, retryAfterFormat }: Respond, now: number): Record<string, string> {
  if (retryAfter === undefined) return {}
  const waitMs = retryAfter === 'auto' ? 1_000 : parseDuration(retryAfter)
  const seconds = Math.ceil(waitMs / 1_000)
  if (retryAfterFormat === 'date') return { 'Retry-After': new Date(now + seconds * 1_000).toUTCString() }
  return { 'Retry-After': String(seconds) }
}

/** A drawing code has status 200 by default, an error 500. */
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
