import { bodyTooLarge } from '../../gateway/bodies/body.ts'
import { relayError, type GatewayError } from '../../gateway/replies/errors.ts'
import { retryAfterOf } from '../../gateway/replies/headers.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import { jsonReply, type Reply } from '../../gateway/replies/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'

/** @assumed §7 the names of statuses are undocumented; wire §8.7 and A.4. */
const statusNames: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [413, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

function statusName(status: number): string {
  return statusNames.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
}

/**
 * Puts refusals of native routes into an envelope: the gateway's, the vendor's, or one that both kinds of clients can read.
 *
 * @param isStream whether the route responds with a stream.
 * @assumed §7 error bodies are undocumented; wire §2.1 and §8.7.
 */
export function nativeRefusal(quirks: Quirks, isStream = false): (error: GatewayError, x: Exchange) => Reply {
  return (refused, x) => {
    const { requestId } = x.entry
    const error = refused.code === bodyTooLarge ? tooLarge(refused) : refused
    if (error.body(requestId) === null) return error.reply(requestId)
    if (quirks.nativeErrorStyle === 'gateway') return error.reply(requestId)
    const reply = quirks.nativeErrorStyle === 'merged' ? merged(error, requestId) : vendors(error, x)
    const headers = { ...reply.headers, ...error.headers }
    if (quirks.nativeErrorStyle === 'merged' || !isStream || !isArrayStream(quirks, x.query)) {
      return { ...reply, headers }
    }
    return { ...reply, headers, body: `[${String(reply.body).trimEnd()}\n]` }
  }
}

/** @assumed §7 the answer to a large body is undocumented; wire §2.4. */
function tooLarge({ message }: GatewayError): GatewayError {
  return relayError(413, 'read_request_body_failed', message.replace(/^(?:Invalid request: )+/, ''))
}

/** An error event in the middle of a stream. */
export function errorEvent(status: number, message: string) {
  return { error: { code: status, message, status: statusName(status) } }
}

function merged(error: GatewayError, requestId: string): Reply {
  const { error: own } = error.body(requestId) as {
    error: { message: string; type?: string; param?: string }
  }
  const { message, type = 'new_api_error', param = '' } = own
  const { status } = error
  return jsonReply(status, { error: { ...errorEvent(status, message).error, type, param } })
}

function vendors(error: GatewayError, x: Exchange): Reply {
  const { error: own } = error.body(x.entry.requestId) as { error: { message: string } }
  const { status, message, details } = inVendorsWords(error, own.message, x)
  return nativeReply({ error: { ...errorEvent(status, message).error, ...(details && { details }) } }, status)
}

export const nativeHeaders = { 'Content-Type': 'application/json; charset=UTF-8' }

/** JSON as the vendor writes it (wire §8.3): two spaces of indent, and a line break at the end. */
export function nativeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function nativeReply(body: unknown, status = 200): Reply {
  return { status, headers: nativeHeaders, body: nativeJson(body), delayMs: 0 }
}

interface VendorError {
  readonly status: number
  readonly message: string
  readonly details?: readonly unknown[]
}

function inVendorsWords(error: GatewayError, text: string, { credential, now }: Exchange): VendorError {
  const message = text.replace(/ \(request id: [^)]*\)$/, '')
  if (error.status === 401 && credential === '') {
    return {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). " +
        'Please use API Key or other form of API consumer identity to call this API.',
    }
  }
  if (error.status === 401) {
    const bad = 'API key not valid. Please pass a valid API key.'
    return {
      status: 400,
      message: bad,
      details: [
        typed('google.rpc.ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com', metadata: {} }),
        typed('google.rpc.LocalizedMessage', { locale: 'en-US', message: bad }),
      ],
    }
  }
  if (error.code === 'model_not_found') {
    const [, model = ''] = /model (.*) (?:under group|is not found)/s.exec(message) ?? []
    return {
      status: 404,
      message:
        `models/${model} is not found for API version v1beta, or is not supported for generateContent. ` +
        'Call ListModels to see the list of available models and their supported methods.',
    }
  }
  if (error.code === 'insufficient_user_quota') {
    return {
      status: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
    }
  }
  const waitMs = retryAfterOf(error.headers, now)
  if (error.status === 429 && waitMs !== null) {
    const retryDelay = `${Math.ceil(waitMs / 1_000)}s`
    return { status: 429, message, details: [typed('google.rpc.RetryInfo', { retryDelay })] }
  }
  // Clients would consider the gateway's own status for a bad request a server failure.
  return { status: error.code === 'invalid_request' ? 400 : error.status, message }
}

function typed(type: string, fields: Record<string, unknown>): Record<string, unknown> {
  return { '@type': `type.googleapis.com/${type}`, ...fields }
}

/** Whether a stream is written as an array. */
export function isArrayStream({ nativeStreamWithoutAlt }: Quirks, query: string): boolean {
  return nativeStreamWithoutAlt === 'json-array' && !isEventStream(query)
}

/** Whether the query requests server-sent events. */
export function isEventStream(query: string): boolean {
  return /(?:^|&)alt=sse(?:&|$)/.test(query)
}
