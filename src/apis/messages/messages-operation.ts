import { GatewayError, upstreamError } from '../../gateway/replies/errors.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import {
  defineOperation,
  type ApiDeps,
  type Behaviour,
  type Description,
  type NamedFacts,
  type Operation,
} from '../define/operation.ts'
import { isObject, joinTexts, show } from '../text/fields.ts'
import { errorType, refuseMessage, upstreamWords } from './refuse.ts'

/** The version of requests that name none. */
const defaultVersion = '2023-06-01'

/** The version that took sampling out of requests, and refuses some blocks. */
const strictVersion = '2026-10-21'

/** An operation with what all of this API have in common: where the key is, the version, the envelope of refusals. */
export function defineMessages<const Name extends string, Prepared, Input>(
  facts: NamedFacts<Name>,
  behave: (deps: ApiDeps) => Behaviour<Prepared, Input>,
): Operation<Name> {
  return defineOperation(facts, (deps): Behaviour<Prepared, Input> => {
    const { parse, ...behaviour } = behave(deps)
    return {
      credential: messagesKey,
      refuse: refuseMessage,
      describe: describeMessages,
      ...behaviour,
      parse: (x) => {
        checkVersion(x)
        if ((x.body['thread'] ?? null) !== null) throw threadRefused()
        return parse!(x)
      },
    }
  })
}

/**
 * The key in the form of the vendor's clients; empty without one, then `Authorization` counts.
 * @assumed §5 keys in this form are undocumented; wire §9.3 has them for the listing of models.
 */
export function messagesKey(x: Exchange): string {
  return x.header('x-api-key').trim()
}

/**
 * @assumed §4.9 the version is undocumented; the vendor's page on versions. Its service requires one, gateways add it.
 * @throws {GatewayError} for a version that is no date.
 */
function checkVersion(x: Exchange): void {
  const version = versionOf(x)
  if (/^\d{4}-\d{2}-\d{2}$/.test(version)) return
  const message = `anthropic-version: ${show(version)} is not a valid version. Use ${defaultVersion} or ${strictVersion}.`
  throw upstreamError(400, message, upstreamWords(400))
}

/**
 * Threads, which the service stores, are not offered. Clients that read the code send the whole conversation instead, as
 * the tool runner of the vendor's SDK does.
 * @assumed §4.9 threads are undocumented; `ThreadUnsupportedRequestErrorDetails` of the vendor's SDK.
 */
function threadRefused(): GatewayError {
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

function versionOf(x: Exchange): string {
  return x.header('anthropic-version').trim() || defaultVersion
}

/** Whether a request is of the version that refuses more than the one before. */
export function isStrictVersion(x: Exchange): boolean {
  return versionOf(x) >= strictVersion
}

/** What to say of a request without a version, which only the gateway takes. */
export function versionNotes(x: Exchange): string[] {
  if (x.header('anthropic-version') !== '') return []
  return [
    `The header anthropic-version is missing, which Anthropic's own API refuses: send ${defaultVersion}.`,
  ]
}

function describeMessages({ body: { model, messages } }: Exchange): Description {
  return { model: typeof model === 'string' ? model : undefined, prompt: lastText(messages) }
}

/** The text of the user's last message that has any: one of results of tools has none. */
function lastText(messages: JsonValue | undefined): string | undefined {
  const list = Array.isArray(messages) ? messages : []
  for (const message of list.toReversed()) {
    if (!isObject(message) || message['role'] !== 'user') continue
    const { content } = message
    const text = Array.isArray(content) ? joinTexts(content) : content
    if (typeof text === 'string') return text
  }
  return undefined
}
