import { bodyTooLarge } from '../../../gateway/bodies/body.ts'
import { relayError, type GatewayError } from '../../../gateway/replies/errors.ts'
import { jsonReply, type Reply } from '../../../gateway/replies/reply.ts'
import type { Exchange } from '../../../gateway/exchange.ts'

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
 * Puts a refusal of a native route into an envelope that clients of the gateway and of the vendor can read.
 *
 * @assumed §7 error bodies are undocumented; wire §2.1 and §8.7.
 */
export function refuseNative(refused: GatewayError, x: Exchange): Reply {
  const { requestId } = x.entry
  const error = refused.code === bodyTooLarge ? tooLarge(refused) : refused
  const body = error.body(requestId)
  if (body === null) return error.reply(requestId)
  const reply = jsonReply(error.status, nativeRefusal(error.status, body))
  return { ...reply, headers: { ...reply.headers, ...error.headers } }
}

/** @param usual the refusal in the gateway's own envelope. */
export function nativeRefusal(status: number, usual: unknown): object {
  const { error } = usual as { error: { message: string; type?: string; param?: string } }
  const { message, type = 'new_api_error', param = '' } = error
  return { error: { ...errorEvent(status, message).error, type, param } }
}

/** @assumed §7 the answer to a large body is undocumented; wire §2.4. */
function tooLarge({ message }: GatewayError): GatewayError {
  return relayError(413, 'read_request_body_failed', message.replace(/^(?:Invalid request: )+/, ''))
}

/** An error event in the middle of a stream. */
export function errorEvent(status: number, message: string) {
  return { error: { code: status, message, status: statusName(status) } }
}

export const nativeHeaders = { 'Content-Type': 'application/json; charset=UTF-8' }

/** JSON as the vendor writes it (wire §8.3): two spaces of indent, and a line break at the end. */
export function nativeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function nativeReply(body: unknown, status = 200): Reply {
  return { status, headers: nativeHeaders, body: nativeJson(body), delayMs: 0 }
}

/** Whether the query requests server-sent events. */
export function isEventStream(query: string): boolean {
  return /(?:^|&)alt=sse(?:&|$)/.test(query)
}
