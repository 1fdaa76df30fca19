import { WorkRefused } from '../../engine/work-budget.ts'
import { ImageStoreError, PackageMissing } from '../../media/source.ts'
import { hintHeader, jsonReply, type Reply } from './reply.ts'

/**
 * A refusal in one of the gateway's envelopes. Thrown anywhere during admission, turned into a reply once.
 */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  /** The machine-readable code, if the envelope has one. */
  readonly code: string
  /** What failed in the simulator; undefined for every refusal that the gateway means. */
  internalError: string | undefined
  readonly #body: ErrorBody
  #advice = ''
  #headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    body: ErrorBody,
    headers: Readonly<Record<string, string>> = {},
    code = '',
  ) {
    super(message)
    this.status = status
    this.code = code
    this.#body = body
    this.#headers = headers
  }

  reply(requestId: string): Reply {
    const body = this.body(requestId)
    const reply =
      body === null ? { status: this.status, headers: {}, body, delayMs: 0 } : jsonReply(this.status, body)
    return { ...reply, headers: { ...reply.headers, ...this.#headers } }
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  /** The content of the envelope; null for a response without one. */
  body(requestId: string): unknown {
    return this.#body(requestId, joinSentences(this.message, this.#advice), this.#advice)
  }

  /** Explains the refusal in the hint header, if the gateway's own message is too short. */
  withHint(hint: string): this {
    return this.withHeaders(hintHeader(hint))
  }

  /**
   * Says what to change, in the hint header and at the end of the message: client libraries print the message only.
   */
  withAdvice(advice: string): this {
    this.#advice = advice
    return this.withHint(advice)
  }

  /** Adds or replaces headers. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    this.#headers = { ...this.#headers, ...headers }
    return this
  }
}

/**
 * Builds the body of an envelope.
 * @param message the refusal, with the advice appended.
 * @param advice what to change; empty when there is none.
 */
export type ErrorBody = (requestId: string, message: string, advice: string) => unknown

/** Joins a text and what follows as sentences. */
export function joinSentences(text: string, more: string): string {
  if (more === '') return text
  return `${text}${/[.!?]$/.test(text) ? '' : '.'} ${more}`
}

/**
 * E-ABORT: authentication and routing.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function abortError(status: number, message: string, code = '', type = 'new_api_error'): GatewayError {
  const body: ErrorBody = (requestId, text) => ({
    error: { code, message: `${text} (request id: ${requestId})`, type },
  })
  return new GatewayError(status, message, body, {}, code)
}

/**
 * E-RELAY: what the handlers of texts refuse.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function relayError(status: number, code: string, message: string): GatewayError {
  const body: ErrorBody = (requestId, text) => ({
    error: { message: `${text} (request id: ${requestId})`, type: 'new_api_error', param: '', code },
  })
  return new GatewayError(status, message, body, {}, code)
}

/**
 * E-UP: what the service behind the gateway refuses, in its own words.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function upstreamError(
  status: number,
  message: string,
  how: { type?: string; code?: string | number | null; param?: string } = {},
): GatewayError {
  const { type = 'upstream_error', code = status, param = '' } = how
  const body: ErrorBody = (_, text) => ({ error: { message: text, type, param, code } })
  return new GatewayError(status, message, body, {}, String(code))
}

/**
 * E-TASK: submit and poll handlers of tasks.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function taskError(status: number, code: string, message: string): GatewayError {
  return new GatewayError(status, message, (_, text) => ({ code, message: text, data: null }))
}

/**
 * E-VID: the content download.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function contentError(status: number, message: string, type: string): GatewayError {
  return new GatewayError(status, message, (_, text) => ({ error: { message: text, type } }))
}

/**
 * A path or method that is not served. There is no 405.
 * @assumed §9 unknown paths are not documented; wire §1.8.
 */
export function invalidUrl(method: string, path: string): GatewayError {
  const message = `Invalid URL (${method} ${path})`
  return new GatewayError(404, message, (_, text) => ({
    error: { message: text, type: 'invalid_request_error', param: '', code: '' },
  }))
}

/**
 * A path that the gateway knows and does not implement.
 * @assumed §9 such paths are not documented; wire §1.8.
 */
export function notImplemented(): GatewayError {
  const message = 'API not implemented'
  return new GatewayError(501, message, (_, text) => ({
    error: { message: text, type: 'new_api_error', param: '', code: 'api_not_implemented' },
  }))
}

/**
 * Changes can't be persisted, so nothing is accepted.
 * @assumed §8 the answer to a full disk is not documented; wire §2.2, the row “Server overloaded”.
 */
export function storageUnavailable(problem: string): GatewayError {
  return abortError(503, 'system disk overloaded', 'system_disk_overloaded').withHint(problem)
}

/**
 * What was thrown, as a refusal. The client gets no details of an internal error.
 * @assumed §7 internal errors are not documented; wire §2.2, the row “Crash”.
 */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof WorkRefused) return abortError(400, `Invalid request: ${error.message}`)
  if (error instanceof ImageStoreError) return storageUnavailable(error.message)
  // Clients don't repeat a request with this status.
  if (error instanceof PackageMissing) return abortError(501, error.message, 'package_missing')
  const message = 'Panic detected, error: the simulator failed on this request'
  const refusal = new GatewayError(500, message, () => ({ error: { message, type: 'new_api_panic' } }))
  refusal.internalError = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return refusal
}
