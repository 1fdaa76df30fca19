import type { Exchange } from '../../../gateway/exchange.ts'
import { GatewayError } from '../../../gateway/replies/errors.ts'
import { jsonHeaders, jsonReply, type Reply } from '../../../gateway/replies/reply.ts'
import type { UpstreamWords } from '../fields.ts'

/**
 * The types of errors by status.
 * @assumed §7 error bodies of this path are undocumented; the vendor's page on errors, and `ErrorType` of its SDK. The gateway
 * has no 529, so its 503 is an overload, too.
 */
const typesByStatus: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** The types of refusals whose code says more than their status. */
const typesByCode: ReadonlyMap<string, string> = new Map([
  ['model_not_found', 'not_found_error'],
  ['insufficient_user_quota', 'billing_error'],
  ['pre_consume_token_quota_failed', 'billing_error'],
  ['invalid_request', 'invalid_request_error'],
])

/** The type of an error with a status. */
export function errorType(status: number): string {
  return typesByStatus.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}

/** What errors of the service behind the gateway are called. */
export const upstreamWords = (status: number): UpstreamWords => ({ type: errorType(status), code: status })

/** The header with the id of a request, which the vendor's SDKs read. */
export function requestIdHeader({ requestId }: { readonly requestId: string }): Record<string, string> {
  return { 'request-id': requestId }
}

/** An error as the body of a response, and as the data of an event. @param details for programs; left out without any. */
export function errorBody(type: string, message: string, requestId: string, details?: object): object {
  return { type: 'error', error: { type, message, details }, request_id: requestId }
}

interface GatewayBody {
  readonly error: { readonly message: string; readonly type?: string; readonly details?: object }
}

/** Types that say less than the status. */
const vagueTypes = ['new_api_error', 'new_api_panic', 'upstream_error', 'invalid_request_error']

/**
 * Puts refusals into the vendor's envelope, with the gateway's status. A type that a rule gives stays.
 * @assumed §7 error bodies of this path are undocumented; the vendor's page on errors.
 */
export function refuseMessage(error: GatewayError, x: Exchange): Reply {
  const { requestId } = x.entry
  const headers = { ...requestIdHeader(x.entry), ...error.headers }
  const body = error.body(requestId)
  if (body === null) {
    const bare = error.reply(requestId)
    return { ...bare, headers: { ...bare.headers, ...headers } }
  }
  return jsonReply(error.status, messageRefusal(error, body, requestId), { ...jsonHeaders, ...headers })
}

/** @param usual the refusal in the gateway's own envelope. */
export function messageRefusal(
  { status, code }: Pick<GatewayError, 'status' | 'code'>,
  usual: unknown,
  requestId: string,
): object {
  const { message, type = 'new_api_error', details } = (usual as GatewayBody).error
  const named = vagueTypes.includes(type) ? (typesByCode.get(code) ?? errorType(status)) : type
  // The envelope has the id in a field of its own.
  const text = message.replace(/ \(request id: [^)]*\)/, '')
  return errorBody(named, text, requestId, details)
}

/**
 * Threads, which the service stores, are not offered. Clients that read the code send the whole conversation instead, as
 * the tool runner of the vendor's SDK does.
 * @assumed §4.9 threads are undocumented; `ThreadUnsupportedRequestErrorDetails` of the vendor's SDK.
 */
export function refuseThread(): GatewayError {
  const code = 'thread_unsupported_request'
  const type = errorType(400)
  return new GatewayError(
    400,
    'thread: conversations are not stored here. Send all messages, without thread.',
    (_, message) => ({ error: { type, message, details: { error_code: code } } }),
    {},
    code,
  )
}
