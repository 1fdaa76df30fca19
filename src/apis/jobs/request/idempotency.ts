import { definitionError } from '../../../gateway/replies/errors.ts'
import type { IdempotencyPlan } from '../../../gateway/exchange.ts'
import type { Call } from '../kit/call.ts'
import { callDefined } from '../kit/call-defined.ts'
import { showValue } from '../kit/check.ts'
import type { SubmitOperation } from '../kit/submission.ts'
import type { Refuse } from '../replies/replies.ts'
import { callOf } from '../request-call.ts'

type Idempotency = NonNullable<SubmitOperation['idempotency']>

/** How a submission of a definition honours idempotency keys. */
export function planIdempotency(name: string, idempotency: Idempotency, refuse: Refuse): IdempotencyPlan {
  return {
    keyOf: (x) => readIdempotencyKey(name, idempotency, callOf(x)),
    reused: () => refuse('reusedKey', { usual: 'The idempotency key was used for another request' }),
  }
}

/** The idempotency key of a request; undefined without one. */
function readIdempotencyKey(name: string, idempotency: Idempotency, call: Call): string | undefined {
  const key: unknown =
    typeof idempotency === 'function'
      ? callDefined(name, 'idempotency', () => idempotency(call))
      : call.header(idempotency.header)
  if (key === undefined || key === '') return undefined
  if (typeof key === 'string') return key
  throw definitionError(name, 'idempotency', `it returns ${showValue(key)}. Return a text, or undefined`)
}
