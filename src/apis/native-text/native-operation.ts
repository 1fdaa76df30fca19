import { textSettings } from '../text/settings.ts'
import type { OperationFacts, Role } from '../../engine/operations/facts.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import { relayError } from '../../gateway/replies/errors.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import {
  defineOperation,
  type ApiDeps,
  type Behaviour,
  type Description,
  type NamedFacts,
  type Operation,
} from '../define/operation.ts'
import { isObject, joinTexts, type UpstreamWords } from '../text/fields.ts'
import { listOf } from './contents.ts'
import { nativeRefusal } from './refuse.ts'

/** The names of errors of the service behind the gateway. */
export const upstreamWords = (status: number): UpstreamWords => ({ type: 'upstream_error', code: status })

/** Defines an operation with the common parts of all native ones: the location of the key, and the envelope of refusals. */
export function defineNative<const Name extends string, Prepared, Input>(
  facts: NamedFacts<Name>,
  behave: (deps: ApiDeps) => Behaviour<Prepared, Input>,
): Operation<Name> {
  return defineOperation(facts, (deps): Behaviour<Prepared, Input> => {
    const { use, quirks } = deps
    return {
      credential: nativeCredential(use(textSettings).nativeKeyHeaders),
      refuse: nativeRefusal(quirks, facts.role === 'stream'),
      /** @assumed §7 the answer to malformed JSON is undocumented; wire §2.4. */
      malformed: () => relayError(quirks.clientErrorStatus, 'invalid_request', 'invalid JSON request body'),
      describe: describeNative,
      ...behave(deps),
    }
  })
}

/**
 * The facts of an action on a model.
 * @assumed §9 the alias below /v1 is undocumented; wire §8.1. Some clients write `models/` twice.
 */
export function ofModel(role: Role, action: string): OperationFacts {
  return {
    role,
    route: `POST /v1beta/models/{model}:${action}`,
    aliases: [`/v1/models/{model}:${action}`, `/v1beta/models/models/{model}:${action}`],
  }
}

/**
 * Reads the key of a native request (§5): from one of the native headers, otherwise from the query's `key`. Empty if both
 * are missing; then `Authorization` counts.
 *
 * @param headers the names of native headers. The first one present counts.
 * @assumed §5 which of the two counts is undocumented; wire §1.2: the header.
 */
export function nativeCredential(headers: readonly string[]): (x: Exchange) => string {
  return (x) => {
    for (const name of headers) {
      const sent = x.header(name).trim()
      if (sent !== '') return sent
    }
    return x.query.includes('key=') ? (new URLSearchParams(x.query).get('key') ?? '').trim() : ''
  }
}

/** The model in a path, without the `models/` prefix of some clients. */
export function modelOf({ params }: Exchange): string {
  return (params['model'] ?? '').replace(/^models\//, '')
}

function describeNative(x: Exchange): Description {
  const { body } = x
  const inner = body['generateContentRequest']
  const contents = body['contents'] ?? body['content'] ?? (isObject(inner) ? inner['contents'] : undefined)
  return { model: modelOf(x) || undefined, prompt: lastText(contents) }
}

/** The texts of the user's last turn that has any. */
function lastText(contents: JsonValue | undefined): string | undefined {
  const list = listOf(contents)
  for (let at = list.length - 1; at >= 0; at--) {
    const content = list[at]
    const text =
      isObject(content) && content['role'] !== 'model' ? joinTexts(listOf(content['parts'])) : undefined
    if (text !== undefined) return text
  }
  return undefined
}
