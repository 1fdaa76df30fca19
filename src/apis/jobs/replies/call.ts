import type { Exchange } from '../../../gateway/exchange.ts'
import type { Form } from '../../define/form.ts'
import type { Behaviour } from '../../define/operation.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { ApiOperation } from '../kit/definition.ts'
import { callOf, type ServedApi } from '../served.ts'
import { contentTypeOf, toReply, withRefusals, type Refuse } from './replies.ts'

/** What an operation without a job does. */
export function callBehaviour(
  name: string,
  operation: Extract<ApiOperation, { role: 'call' }>,
  { definition }: ServedApi,
  { form, refuse }: { readonly form: Form | undefined; readonly refuse: Refuse },
): Behaviour<readonly never[], unknown> {
  const { status = 200, reply } = operation
  const contentType = contentTypeOf(definition, operation)
  const respond = (x: Exchange, body: unknown) => {
    const made = callDefined(name, 'reply', () => reply(callOf(x, body) as never))
    return toReply(made, { x, task: undefined, operation: name, status, contentType })
  }
  return {
    ...(form && { prepare: (body) => ({ prepared: [], fields: body }), parse: (_x, body) => body }),
    guard: (run) => withRefusals(refuse, run),
    respond: (x, body) => withRefusals(refuse, () => respond(x, form ? body : x.body)),
  }
}
