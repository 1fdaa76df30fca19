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
import { lastText } from '../text/fields.ts'
import { listOf } from './contents.ts'
import { refuseNative } from '../text/native/refuse.ts'
import { modelOf } from '../text/native/request.ts'

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

function describeNative(x: Exchange): Description {
  const { body } = x
  const inner = body['generateContentRequest']
  const contents = body['contents'] ?? body['content'] ?? (isObject(inner) ? inner['contents'] : undefined)
  const prompt = lastText(listOf(contents), ({ role, parts }) =>
    role === 'model' ? undefined : [...listOf(parts)],
  )
  return { model: modelOf(x) || undefined, prompt }
}
