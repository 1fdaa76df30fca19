import type { Task } from '../../engine/tasks/tasks.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { definitionError, GatewayError } from '../../gateway/replies/errors.ts'
import { headerProblem } from '../../scenario/schema/header-problem.ts'
import { hasContent, mediaReply, type Reply } from '../../gateway/replies/reply.ts'
import { ReplyAnswer } from './answer.ts'
import { callDefined } from './call-defined.ts'
import type { ApiDefinition, Refusal } from './definition.ts'
import { JobFile } from './job.ts'
import { mediaOfJob } from './kind.ts'

const jsonHeaders = { 'Content-Type': 'application/json' }

/**
 * Converts what `reply` returned.
 * @param task the job whose file `job.file` sends.
 */
export function toReply(
  made: unknown,
  { x, task, operation, status }: { x: Exchange; task: Task; operation: string; status: number },
): Reply {
  const isAnswer = made instanceof ReplyAnswer
  const body = isAnswer ? made.body : made
  const headers = isAnswer ? made.headers : undefined
  const sent = isAnswer ? made.status : status
  if (body instanceof JobFile) {
    x.entry.sendsFile = true
    return fileReply(x, task, body.index, headers && checkHeaders(headers, failureOf(operation, 'reply')))
  }
  return jsonText(operation, 'reply', body, { status: sent, headers })
}

type Fail = (text: string) => never

const failureOf =
  (operation: string, part: string): Fail =>
  (text) => {
    throw definitionError(operation, part, text)
  }

/** A reply in JSON. Only an `answer` may have no body. */
function jsonText(
  operation: string,
  part: string,
  body: unknown,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> | undefined },
): Reply {
  const fail = failureOf(operation, part)
  if (!Number.isInteger(status) || status < 200 || status > 599)
    fail(`status is ${String(status)}. Give 200 to 599`)
  if (body === undefined && headers === undefined)
    fail('it returns nothing. Return a value for JSON, or answer(204) for no body')
  const isEmpty = body === undefined || !hasContent(status)
  const text = isEmpty ? null : toJson(body, fail)
  if (text === undefined) fail(`it returns a ${typeof body}. Return a value for JSON`)
  const all =
    headers === undefined
      ? jsonHeaders
      : { ...(text !== null && jsonHeaders), ...checkHeaders(headers, fail) }
  return { status, headers: all, body: text!, delayMs: 0 }
}

/** The stack of an error of JSON.stringify names no place in the definition, so its message alone is used. */
function toJson(body: unknown, fail: Fail): string | undefined {
  try {
    return JSON.stringify(body)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** Fails for a header that HTTP can't express, or that the server sets itself. */
function checkHeaders(
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

/** The file of a job. */
export function fileReply(
  x: Exchange,
  task: Task,
  index: number,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const failed = { status: 502, body: JSON.stringify({ message: 'Failed to make the file' }) }
  return mediaReply(mediaOfJob(task, index, x.decision.media), x.request, { headers, failed })
}

/** The details of a refusal: the mistakes of the body, or the whole response. */
interface RefusalDetails {
  readonly issues?: Refusal['issues']
  readonly answer?: ReplyAnswer
}

const detailsOf = new WeakMap<GatewayError, RefusalDetails>()

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
  const { issues = [], answer } = detailsOf.get(error) ?? {}
  try {
    const made =
      answer ??
      callDefined(operation, 'error', () => definition.error({ status, code, message: text, issues }))
    if (made === undefined)
      throw definitionError(operation, 'error', 'it returns nothing. Return the envelope')
    const own = made instanceof ReplyAnswer ? made : new ReplyAnswer(status, made, {})
    const part = answer ? 'job' : 'error'
    const refusal = jsonText(operation, part, own.body, { status: own.status, headers: own.headers })
    return { ...refusal, headers: { ...reply.headers, ...refusal.headers } }
  } catch (thrown) {
    const failure = thrown as GatewayError
    x.entry.internalError ??= failure.internalError!
    x.core.onBug(failure.internalError!)
    // Only the envelope itself can't be in the envelope.
    return answer ? envelopeOf(definition, failure, x, operation) : failure.reply(x.entry.requestId)
  }
}
