import type { Exchange } from '../../../gateway/exchange.ts'
import { definitionError } from '../../../gateway/replies/errors.ts'
import { Answer } from '../kit/answer.ts'
import { callDefined } from '../kit/call-defined.ts'
import { showValue } from '../kit/check.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import { Refused } from '../kit/refused.ts'
import { refuseJob, withRefusals, type Refuse } from '../replies/replies.ts'
import { callOf } from '../request-call.ts'

/** Refuses a request that `before` of a definition refuses. */
export function checkBefore(
  name: string,
  before: NonNullable<ApiDefinition['before']>,
  refuse: Refuse,
): (x: Exchange) => void {
  return (x) => {
    const refusal: unknown = withRefusals(refuse, () => callDefined(name, 'before', () => before(callOf(x))))
    if (refusal === undefined) return
    if (refusal instanceof Answer)
      throw refuseJob(refusal.status, `${name} refuses the request`, { answer: refusal })
    if (!(refusal instanceof Refused))
      throw definitionError(
        name,
        'before',
        `it returns ${showValue(refusal)}. Return an answer, or undefined`,
      )
    withRefusals(refuse, () => {
      throw refusal
    })
  }
}
