import { WorkRefused } from '../engine/work-budget.ts'
import { ImageNotKept } from '../media/source.ts'
import { hintHeader, jsonReply, type Reply } from './reply.ts'

/**
 * A refusal in one of the gateway's envelopes. Thrown anywhere during admission, turned into a reply once.
 */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  /** The word for programs, where the envelope has one. */
  readonly code: string
  readonly #body: (requestId: string) => unknown
  #headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    body: (requestId: string) => unknown,
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

  /** What the envelope holds; null for an answer without one. */
  body(requestId: string): unknown {
    return this.#body(requestId)
  }

  /** Explains the refusal in a header of ours, where the gateway's own words are too short. */
  withHint(hint: string): this {
    return this.withHeaders(hintHeader(hint))
  }

  /** Sends headers beside, or instead of, its own. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    this.#headers = { ...this.#headers, ...headers }
    return this
  }
}

/**
 * E-ABORT: authentication and routing.
 * @assumed §7 error bodies are not shown; wire §2.1.
 */
export function abortError(status: number, message: string, code = '', type = 'new_api_error'): GatewayError {
  const body = (requestId: string): unknown => ({
    error: { code, message: `${message} (request id: ${requestId})`, type },
  })
  return new GatewayError(status, message, body, {}, code)
}

/**
 * E-RELAY: what the handlers of texts refuse.
 * @assumed §7 error bodies are not shown; wire §2.1.
 */
export function relayError(status: number, code: string, message: string): GatewayError {
  const body = (requestId: string): unknown => ({
    error: { message: `${message} (request id: ${requestId})`, type: 'new_api_error', param: '', code },
  })
  return new GatewayError(status, message, body, {}, code)
}

/**
 * E-UP: what the service behind the gateway refuses, in its own words.
 * @assumed §7 error bodies are not shown; wire §2.1.
 */
export function upstreamError(
  status: number,
  message: string,
  { type = 'upstream_error', code = status }: { type?: string; code?: string | number } = {},
): GatewayError {
  const body = (): unknown => ({ error: { message, type, param: '', code } })
  return new GatewayError(status, message, body, {}, String(code))
}

/**
 * E-TASK: submit and poll handlers of tasks.
 * @assumed §7 error bodies are not shown; wire §2.1.
 */
export function taskError(status: number, code: string, message: string): GatewayError {
  return new GatewayError(status, message, () => ({ code, message, data: null }))
}

/**
 * E-VID: the content download.
 * @assumed §7 error bodies are not shown; wire §2.1.
 */
export function contentError(status: number, message: string, type: string): GatewayError {
  return new GatewayError(status, message, () => ({ error: { message, type } }))
}

/**
 * A path or method nobody serves. There is no 405.
 * @assumed §9 unknown paths are not shown; wire §1.8.
 */
export function invalidUrl(method: string, path: string): GatewayError {
  const message = `Invalid URL (${method} ${path})`
  return new GatewayError(404, message, () => ({
    error: { message, type: 'invalid_request_error', param: '', code: '' },
  }))
}

/**
 * What the gateway knows of and doesn't do.
 * @assumed §9 such paths are not shown; wire §1.8.
 */
export function notImplemented(): GatewayError {
  const message = 'API not implemented'
  return new GatewayError(501, message, () => ({
    error: { message, type: 'new_api_error', param: '', code: 'api_not_implemented' },
  }))
}

/**
 * What a request would change can't be kept, so nothing is accepted.
 * @assumed §8 the answer to a full disk is not shown; wire §2.2, the row “Server overloaded”.
 */
export function notKept(problem: string): GatewayError {
  return abortError(503, 'system disk overloaded', 'system_disk_overloaded').withHint(problem)
}

/**
 * What was thrown, as a refusal. Our own mistakes are told to `onBug`, and answered without showing where.
 * @assumed §7 internal errors are not shown; wire §2.2, the row “Crash”.
 */
export function asGatewayError(error: unknown, onBug: (message: string) => void): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof WorkRefused) return abortError(400, `Invalid request: ${error.message}`)
  if (error instanceof ImageNotKept) return notKept(error.message)
  onBug(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  const message = 'Panic detected, error: the simulator failed on this request'
  return new GatewayError(500, message, () => ({ error: { message, type: 'new_api_panic' } }))
}
