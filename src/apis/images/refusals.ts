import type { Exchange } from '../../gateway/exchange.ts'
import { upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonReply, type Reply } from '../../gateway/replies/reply.ts'

/**
 * A bad field, in the words of the protocol's own service.
 * @assumed §7 error bodies are undocumented; OpenAI's public error reference, and its messages in public issues.
 */
export function invalidField(param: string, code: string | null, message: string): GatewayError {
  return upstreamError(400, message, { type: 'invalid_request_error', code, param })
}

/** The refusal of a word that is none of those supported. */
export function unsupported(name: string, value: string, words: readonly string[]): Error {
  const [last, ...others] = words.map((word) => `'${word}'`).toReversed()
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
  const given = value.slice(0, 60)
  return invalidField(name, 'invalid_value', `Invalid value: '${given}'. Supported values are: ${list}.`)
}

/** The refusal of a field that must be there. */
export function missing(name: string): Error {
  return invalidField(name, 'missing_required_parameter', `Missing required parameter: '${name}'.`)
}

/** @throws {GatewayError} for a text that is too long. */
export function checkLength(name: string, { length }: string, max: number): void {
  if (length <= max) return
  throw invalidField(
    name,
    'string_above_max_length',
    `Invalid '${name}': string too long. Expected a string with maximum length ${max}, ` +
      `but got a string with length ${length} instead.`,
  )
}

/**
 * A prompt that the service does not paint.
 * @assumed §7 refused prompts are undocumented; OpenAI's image guide, on content moderation.
 */
export function moderationBlocked(reason = 'Your request was rejected by the safety system.'): GatewayError {
  return upstreamError(400, reason, {
    type: 'image_generation_user_error',
    code: 'moderation_blocked',
    param: 'prompt',
  })
}

/** @assumed §7 how the service behind the gateway fails is undocumented; wire §9.4. */
export function errorWords(status: number): { type: string; code: string | null } {
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' }
  return { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null }
}

/**
 * Every refusal has the four members of OpenAI's envelope, also a refusal of the gateway itself. Without a value they are
 * null. A path that no operation serves is refused as everywhere (wire §1.8).
 */
export function refuseImages(error: GatewayError, x: Exchange): Reply {
  const { requestId } = x.entry
  const body = error.body(requestId) as { error: Envelope } | null
  if (body === null || !x.route) return error.reply(requestId)
  const { message, type = null, param, code } = body.error
  const reply = jsonReply(error.status, {
    error: { message, type, param: param || error.param || null, code: code || null },
  })
  return { ...reply, headers: { ...reply.headers, ...error.headers } }
}

interface Envelope {
  readonly message: string
  readonly type?: string
  readonly param?: string
  readonly code?: string | number | null
}
