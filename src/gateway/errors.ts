import { hintHeader, jsonReply, type Reply } from './reply.ts'

/**
 * A refusal in one of the gateway's envelopes. Thrown anywhere during admission, turned into a reply once.
 */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  readonly #body: (requestId: string) => unknown
  #headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    body: (requestId: string) => unknown,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.#body = body
    this.#headers = headers
  }

  reply(requestId: string): Reply {
    const reply = jsonReply(this.status, this.#body(requestId))
    return { ...reply, headers: { ...reply.headers, ...this.#headers } }
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
export function abortError(status: number, message: string, code = ''): GatewayError {
  return new GatewayError(status, message, (requestId) => ({
    error: { code, message: `${message} (request id: ${requestId})`, type: 'new_api_error' },
  }))
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
 * What was thrown, as a refusal. Our own mistakes are told to `onBug`, and answered without showing where.
 * @assumed §7 internal errors are not shown; wire §2.2, the row “Crash”.
 */
export function asGatewayError(error: unknown, onBug: (message: string) => void): GatewayError {
  if (error instanceof GatewayError) return error
  onBug(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  const message = 'Panic detected, error: the simulator failed on this request'
  return new GatewayError(500, message, () => ({ error: { message, type: 'new_api_panic' } }))
}
