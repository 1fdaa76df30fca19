import { isObject } from '../../engine/is-object.ts'
import type * as z from 'zod/mini'
import type { OperationFacts, Role } from '../../engine/operations/facts.ts'
import { relayError } from '../../gateway/replies/errors.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import {
  defineOperation,
  type Behaviour,
  type Description,
  type NamedFacts,
  type Operation,
} from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { lastText, type UpstreamWords } from '../text/fields.ts'
import { listOf } from './contents.ts'
import { refuseNative } from './refuse.ts'
import type { KeyPlace } from '../define/operation-schema.ts'

/** The names of errors of the service behind the gateway. */
export const upstreamWords = (status: number): UpstreamWords => ({ type: 'upstream_error', code: status })

/** Defines an operation with the common parts of all native ones, such as the envelope of refusals. */
export function defineNative<const Name extends string, Prepared, Input, Schema extends z.ZodMiniType>(
  facts: NamedFacts<Name, Schema>,
  behave: (core: Core) => Behaviour<Prepared, Input, z.output<Schema>>,
): Operation<Name> {
  return defineOperation(facts, (core): Behaviour<Prepared, Input, z.output<Schema>> => {
    return {
      refuse: refuseNative,
      /** @assumed §7 the answer to malformed JSON is undocumented; wire §2.4, but with 400. */
      malformed: () => relayError(400, 'invalid_request', 'invalid JSON request body'),
      describe: describeNative,
      ...behave(core),
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

/** The header that the gateway's document names, and the one that its model vendor's own clients send (wire §1.2). */
const nativeKeyHeaders = ['x-native-api-key', 'x-goog-api-key']

/**
 * Reads the key of a native request (§5): from the first of the native headers that it has, otherwise from the query's `key`.
 * Undefined if both are missing.
 *
 * @assumed §5 which of the two counts is undocumented; wire §1.2: the header.
 */
export function nativeCredential(): (x: Exchange) => string | undefined {
  return (x) => {
    for (const name of nativeKeyHeaders) {
      const sent = x.header(name).trim()
      if (sent !== '') return sent
    }
    if (!x.query.includes('key=')) return undefined
    return new URLSearchParams(x.query).get('key')?.trim() || undefined
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
  const prompt = lastText(listOf(contents), ({ role, parts }) =>
    role === 'model' ? undefined : [...listOf(parts)],
  )
  return { model: modelOf(x) || undefined, prompt }
}

const ofNative = 'A key, as native clients send it.'
/** Where keys may be, besides `Authorization`. */
export const nativeKeyPlaces: readonly KeyPlace[] = [
  { id: 'nativeKey', in: 'header', name: 'x-goog-api-key', description: ofNative },
  { id: 'nativeQueryKey', in: 'query', name: 'key', description: ofNative },
]
