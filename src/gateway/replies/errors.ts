import { recognizeCopies } from '../../engine/shared-error.ts'
import { truncate } from '../../engine/wording.ts'
import { definitionStart } from '../../engine/operations/own-api.ts'
import { TimelineError } from '../../engine/tasks/plan-task.ts'
import { ImageStoreError, PackageMissing } from '../../media/source.ts'
import { hintHeader, jsonReply, type Reply } from './reply.ts'

/** A refusal in one of the gateway's envelopes. Thrown anywhere during admission, and turned into a reply once. */
export class GatewayError extends Error {
  static {
    recognizeCopies(this, 'GatewayError')
  }

  override name = 'GatewayError'
  readonly status: number
  /** The machine-readable code, if the envelope has one. */
  readonly code: string
  /** The message of an internal error; undefined for every intended refusal. */
  internalError: string | undefined
  /** The field that is wrong, for envelopes that always name it. */
  param = ''
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

  /** The message with the advice appended, for envelopes that only show one text. */
  get text(): string {
    return joinSentences(this.message, this.#advice)
  }

  /** The content of the envelope; null for a response without one. */
  body(requestId: string): unknown {
    return this.#body(requestId, this.text, this.#advice)
  }

  /** Adds an explanation to the hint header, if the gateway's own message is too short. */
  withHint(hint: string): this {
    return this.withHeaders(hintHeader(hint))
  }

  /** Adds advice to the hint header and to the end of the message: client libraries print only the message. */
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
 * @param advice what to change; empty if there is no advice.
 */
type ErrorBody = (requestId: string, message: string, advice: string) => unknown

/** Joins two texts as sentences. */
export function joinSentences(text: string, more: string): string {
  if (more === '') return text
  return `${text}${/[.!?]$/.test(text) ? '' : '.'} ${more}`
}

/**
 * E-ABORT: the envelope of authentication and routing.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function abortError(status: number, message: string, code = '', type = 'new_api_error'): GatewayError {
  const body: ErrorBody = (requestId, text) => ({
    error: { code, message: `${text} (request id: ${requestId})`, type },
  })
  return new GatewayError(status, message, body, {}, code)
}

/**
 * E-RELAY: the envelope of the text handlers.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function relayError(status: number, code: string, message: string): GatewayError {
  const body: ErrorBody = (requestId, text) => ({
    error: { message: `${text} (request id: ${requestId})`, type: 'new_api_error', param: '', code },
  })
  return new GatewayError(status, message, body, {}, code)
}

/**
 * E-UP: the envelope of refusals that come from the service behind the gateway, in its words.
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
 * E-TASK: the envelope of the handlers that submit and poll tasks.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function taskError(status: number, code: string, message: string): GatewayError {
  return new GatewayError(status, message, (_, text) => ({ code, message: text, data: null }), {}, code)
}

/**
 * E-VID: the envelope of the content download.
 * @assumed §7 error bodies are not documented; wire §2.1.
 */
export function contentError(status: number, message: string): GatewayError {
  return new GatewayError(status, message, (_, text) => ({
    error: { message: text, type: 'invalid_request_error' },
  }))
}

/**
 * The refusal of a path or method that is not served. There is no 405.
 * @assumed §9 unknown paths are not documented; wire §1.8.
 */
export function invalidUrl(method: string, path: string): GatewayError {
  const message = `Invalid URL (${method} ${path})`
  return new GatewayError(404, message, (_, text) => ({
    error: { message: text, type: 'invalid_request_error', param: '', code: '' },
  }))
}

/**
 * The refusal of a path that the gateway knows but does not implement.
 * @assumed §9 such paths are not documented; wire §1.8.
 */
export function notImplemented(): GatewayError {
  const message = 'API not implemented'
  return new GatewayError(501, message, (_, text) => ({
    error: { message: text, type: 'new_api_error', param: '', code: 'api_not_implemented' },
  }))
}

/**
 * The refusal of every change while changes can't be persisted.
 * @assumed §8 the answer to a full disk is not documented; wire §2.2, the row “Server overloaded”.
 */
export function storageUnavailable(problem: string): GatewayError {
  return abortError(503, 'system disk overloaded', 'system_disk_overloaded').withHint(problem)
}

/**
 * The refusal when a function of a user's definition of an API throws, or returns what it must not.
 * @param part the key of the function, such as `reply`.
 * @param thrown an error, whose stack names the place in the file, or a text that says what is wrong.
 */
export function definitionError(operation: string, part: string, thrown: unknown): GatewayError {
  const {
    name,
    message = String(thrown),
    stack = '',
  } = thrown instanceof Error ? thrown : { name: undefined }
  const place = placeOfUser(stack)
  const what = name === undefined ? `failed in ${part}: ${message}` : `threw in ${part}: ${name}: ${message}`
  const text = truncate(`${definitionStart}${operation} ${what}`, 500) + place
  const refusal = new GatewayError(500, text, (_, message) => ({ error: { message } }))
  refusal.internalError = text
  return refusal
}

const frame = /^\s+at (?:.*\()?(?:file:\/\/)?(\/[^\s():]+|[A-Z]:[^\s():]+):(\d+):\d+\)?$/gm
const packageFolder = /^.*[\\/](?:dist|src)[\\/]/

/** The innermost place of a stack that is neither in this package nor in another one, such as ` (acme.ts:12)`. */
function placeOfUser(stack: string): string {
  const [, own = ''] = new RegExp(frame).exec(new Error().stack ?? '') ?? []
  const folder = packageFolder.exec(own)?.[0] ?? own
  const frames = [...stack.matchAll(frame)].map(([, path, line]) => ({ path: path!, line }))
  const isTheirs = ({ path }: { path: string }): boolean => !/[\\/]node_modules[\\/]/.test(path)
  const outside = frames.filter(({ path }) => !path.startsWith(folder))
  const found = outside.find(isTheirs) ?? outside[0] ?? frames[0]
  return found ? ` (${found.path.split(/[\\/]/).at(-1)}:${found.line})` : ''
}

/**
 * Converts a thrown error to a refusal. The client gets no details of an internal error.
 * @assumed §7 internal errors are not documented; wire §2.2, the row “Crash”.
 */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof TimelineError) return abortError(500, `A rule's task.${error.message}`)
  if (error instanceof ImageStoreError) return storageUnavailable(error.message)
  // Clients don't repeat a request with this status.
  if (error instanceof PackageMissing) return abortError(501, error.message, 'package_missing')
  const message = 'Panic detected, error: the simulator failed on this request'
  const refusal = new GatewayError(500, message, () => ({ error: { message, type: 'new_api_panic' } }))
  refusal.internalError = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return refusal
}
