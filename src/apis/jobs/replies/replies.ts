import type { Task } from '../../../engine/tasks/tasks.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { definitionError, GatewayError } from '../../../gateway/replies/errors.ts'
import { headerProblem } from '../../../scenario/schema/values.ts'
import { hasContent, mediaReply, type Reply } from '../../../gateway/replies/reply.ts'
import { Answer, SentMedia } from '../kit/answer.ts'
import { callDefined } from '../kit/call-defined.ts'
import { UploadedFile } from '../job/uploaded-file.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import type { OperationBase } from '../kit/operation.ts'
import type { Refusal, Refusals, Refusing, RefusalWords } from '../kit/refused.ts'
import type { Call } from '../kit/call.ts'
import type { Core } from '../../../gateway/core.ts'
import type { PictureSpec } from '../../../media/spec.ts'
import { mediaOfJob } from '../job/files.ts'
import { JobFile } from '../job/job-file.ts'
import { pictureOfJob } from '../job/picture.ts'
import { Refused, type RefusalKind } from '../kit/refused.ts'
import { callOf, quirksIn } from '../request-call.ts'
import { isContentType, isJsonType, ownTypeOf, toText, type Fail } from './body-text.ts'

/**
 * Converts what `reply` returned.
 * @param task the job whose file `job.file` sends.
 */
export function toReply(
  made: unknown,
  how: { x: Exchange; task: Task | undefined; operation: string; status: number; contentType: string },
): Reply {
  // Functions may return a refusal instead of throwing it.
  if (made instanceof Refused) throw made
  const { x, task, operation, status, contentType } = how
  const isAnswer = made instanceof Answer
  const body = isAnswer ? made.body : made
  const headers = isAnswer ? made.headers : undefined
  const sent = isAnswer ? made.status : status
  if (body instanceof JobFile && task) {
    x.entry.sendsFile = true
    return fileReply(x, task, body.index, headers && checkHeaders(headers, failureOf(operation, 'reply')))
  }
  if (body instanceof SentMedia)
    return mediaReply(body.spec, x.request, { headers: headers ?? {}, failed: body.failed })
  if (body instanceof UploadedFile)
    return bytesReply(x, body.bytes, { status: sent, headers, contentType: body.type, operation })
  if (body instanceof Uint8Array)
    return bytesReply(x, body, { status: sent, headers, contentType, operation })
  return textReply(operation, 'reply', body, { status: sent, headers, contentType })
}

/** A reply in bytes, of which the client may request a part. */
function bytesReply(
  x: Exchange,
  bytes: Uint8Array,
  how: {
    status: number
    headers: Readonly<Record<string, string>> | undefined
    contentType: string
    operation: string
  },
): Reply {
  const { status, headers = {}, contentType, operation } = how
  const fail = failureOf(operation, 'reply')
  if (status !== 200) fail(`it returns bytes with status ${status}. Return them with status 200`)
  const type = ownTypeOf(headers) ?? (isJsonType(contentType) ? 'application/octet-stream' : contentType)
  const others = Object.entries(checkHeaders(headers, fail)).filter(([name]) => !isContentType(name))
  const failed = { status: 502, body: '' }
  return mediaReply({ kind: 'bytes', bytes, type }, x.request, {
    headers: Object.fromEntries(others),
    failed,
  })
}

export const failureOf =
  (operation: string, part: string): Fail =>
  (text) => {
    throw definitionError(operation, part, text)
  }

/** A reply in JSON, JSON Lines or text. Only an `answer` may have no body. */
function textReply(
  operation: string,
  part: string,
  body: unknown,
  how: { status: number; headers: Readonly<Record<string, string>> | undefined; contentType: string },
): Reply {
  const { status, headers, contentType } = how
  const fail = failureOf(operation, part)
  if (!Number.isInteger(status) || status < 200 || status > 599)
    fail(`status is ${String(status)}. Give 200 to 599`)
  if (body === undefined && headers === undefined)
    fail('it returns nothing. Return a value for JSON, or answer(204) for no body')
  const isEmpty = body === undefined || !hasContent(status)
  const text = isEmpty ? null : toText(body, ownTypeOf(headers) ?? contentType, fail)
  if (text === undefined) fail(`it returns a ${typeof body}. Return a value for JSON`)
  const all = allHeaders(contentType, headers, text !== null, fail)
  return { status, headers: all, body: text!, delayMs: 0 }
}

/** Fails for a header that HTTP can't express, or that the server sets itself. */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  fail: Fail,
): Readonly<Record<string, string>> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    const isName = /^[!#$%&'*+.^_`|~\w-]+$/.test(name)
    const problem = isName ? headerProblem(name, text) : 'has a name that is not valid in HTTP'
    if (problem !== undefined) fail(`the header ${JSON.stringify(name)} ${problem}`)
    checked[name] = text
  }
  return checked
}

const headersByType = new Map<string, Readonly<Record<string, string>>>()

/** The header of a media type. One object for all replies, because a server writes it faster. */
function typeHeaders(contentType: string): Readonly<Record<string, string>> {
  let headers = headersByType.get(contentType)
  if (!headers) headersByType.set(contentType, (headers = { 'Content-Type': contentType }))
  return headers
}

/** The headers of replies whose own headers can't change, so that they are checked once. */
const frozenHeaders = new WeakMap<object, Readonly<Record<string, string>>>()

function allHeaders(
  contentType: string,
  headers: Readonly<Record<string, string>> | undefined,
  hasBody: boolean,
  fail: Fail,
): Readonly<Record<string, string>> {
  const type = typeHeaders(contentType)
  if (headers === undefined) return type
  const known = hasBody ? frozenHeaders.get(headers) : undefined
  if (known) return known
  const isOwn = ownTypeOf(headers) !== undefined
  const all = { ...(hasBody && !isOwn && type), ...checkHeaders(headers, fail) }
  if (hasBody && Object.isFrozen(headers)) frozenHeaders.set(headers, all)
  return all
}

/** The media type of JSON. */
export function contentTypeOf(
  { contentType = 'application/json' }: ApiDefinition,
  core: Core,
  own?: OperationBase,
): string {
  if (own?.contentType !== undefined) return own.contentType
  return typeof contentType === 'string' ? contentType : contentType(quirksIn(core))
}

/** How a file is sent. */
export interface FileOptions {
  readonly still?: 'thumbnail' | 'spritesheet' | undefined
  /** The body if the file can't be made. */
  readonly failed?: unknown
  /** Of an image: the longest side, and the progress of an unfinished one. */
  readonly picture?: Pick<PictureSpec, 'maxSide' | 'progress'>
}

/** The file of a job. */
export function fileReply(
  x: Exchange,
  task: Task,
  index: number,
  headers: Readonly<Record<string, string>> = {},
  { still, picture = {}, failed: body = { message: 'Failed to make the file' } }: FileOptions = {},
): Reply {
  const { status = 502, body: text = body } = body instanceof Answer ? body : {}
  const failed = { status, body: JSON.stringify(text) }
  const isPreview = picture.progress !== undefined
  const media = isPreview ? pictureOfJob(task, index) : mediaOfJob(task, index, x.decision.media)
  // A file of a rule is sent unchanged, and an image is its own still.
  const spec =
    still && media.kind === 'clip'
      ? ({ kind: 'still', clip: media, variant: still } as const)
      : media.kind === 'picture'
        ? { ...media, ...picture, taskId: task.record.id }
        : media
  return mediaReply(spec, x.request, { headers, failed })
}

/** The details of a refusal: the mistakes of the body, or the whole response. */
interface RefusalDetails {
  readonly issues?: Refusal['issues']
  readonly answer?: Answer
}

const detailsOf = new WeakMap<GatewayError, RefusalDetails>()

/** Makes the refusals of an operation. */
export type Refuse = (
  kind: RefusalKind,
  how: RefusalDetails & {
    readonly message?: string
    /** The message, unless the definition has one. */
    readonly usual?: string
    readonly hint?: string | undefined
    /** The state of the job. */
    readonly state?: string
  },
) => GatewayError

/** The refusals of a definition and of one of its operations. */
export function refuserOf(api: Refusals = {}, own: Refusals = {}): Refuse {
  const given = { ...api, ...own }
  const { invalidBody = 422, unknownJob = 404, noResult = 404 } = given
  const {
    invalidSize = invalidBody,
    invalidSeconds = invalidBody,
    expired = statusIn(noResult),
    reusedKey = 409,
    notWaiting = 409,
  } = given
  const all = {
    invalidBody,
    invalidSize,
    invalidSeconds,
    unknownJob,
    noResult,
    expired,
    reusedKey,
    notWaiting,
  }
  return (kind, { message, usual = '', hint, state = '', ...details }) => {
    const words = all[kind]
    const { status, code = '', message: own = usual } = typeof words === 'number' ? { status: words } : words
    const text = message ?? own.replace('{status}', state)
    const error = refuseJob(status, text, { code, ...details })
    return hint === undefined ? error : error.withHint(hint)
  }
}

export function statusIn(words: RefusalWords): number {
  return typeof words === 'number' ? words : words.status
}

/** Runs a function whose refusals have no envelope yet. */
export function withRefusals<Result>(refuse: Refuse, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { kind, message, hint } = error
    throw refuse(kind, { message, hint })
  }
}

/** A refusal for the envelope of a definition. */
export function refuseJob(
  status: number,
  message: string,
  { code = '', ...details }: RefusalDetails & { readonly code?: string } = {},
): GatewayError {
  const error = new GatewayError(status, message, (_, text) => ({ message: text }), {}, code)
  detailsOf.set(error, details)
  return error
}

const defaultEnvelope = ({ message, code }: Refusal): unknown => ({
  error: { message, ...(code !== '' && { code }) },
})

/** Puts a refusal into the vendor's envelope. */
export function envelopeOf(
  definition: ApiDefinition,
  error: GatewayError,
  x: Exchange,
  operation: string,
): Reply {
  const reply = error.reply(x.entry.requestId)
  if (reply.body === null) return reply
  const { status, code, text } = error
  const details = detailsOf.get(error)
  const { issues = [], answer } = details ?? {}
  const { error: envelope = defaultEnvelope } = definition
  try {
    const key = operation.slice(operation.indexOf('.') + 1)
    const about = new RefusedRequest(key, details === undefined, error, reply, callOf(x))
    const made =
      answer ??
      callDefined(operation, 'error', () => envelope({ status, code, message: text, issues }, about))
    if (made === about.made) return reply
    if (made === undefined)
      throw definitionError(operation, 'error', 'it returns nothing. Return the envelope')
    const own = made instanceof Answer ? made : new Answer(status, made, {})
    const part = answer ? 'job' : 'error'
    const refusal = textReply(operation, part, own.body, {
      status: own.status,
      headers: own.headers,
      contentType: contentTypeOf(definition, x.core),
    })
    return { ...refusal, headers: { ...reply.headers, ...refusal.headers } }
  } catch (thrown) {
    const failure = thrown as GatewayError
    x.entry.internalError ??= failure.internalError!
    x.core.onBug(failure.internalError!)
    // Only the envelope itself can't be in the envelope.
    return answer ? envelopeOf(definition, failure, x, operation) : failure.reply(x.entry.requestId)
  }
}

class RefusedRequest implements Refusing {
  readonly operation: string
  readonly isGateways: boolean
  readonly call: Call
  readonly #error: GatewayError
  readonly #reply: Reply
  /** The usual answer, if `error` read it. */
  made: Answer | null = null

  constructor(operation: string, isGateways: boolean, error: GatewayError, reply: Reply, call: Call) {
    this.operation = operation
    this.isGateways = isGateways
    this.call = call
    this.#error = error
    this.#reply = reply
  }

  get usual(): Answer {
    const { status, headers } = this.#reply
    this.made ??= new Answer(
      status,
      this.#error.body(this.call.requestId),
      headers as Readonly<Record<string, string>>,
    )
    return this.made
  }
}
