import type { Core } from '../../../gateway/core.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Form } from '../../define/form.ts'
import { describeRequest, type Behaviour } from '../../define/operation.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import type { ComposeCall, ReceiveOptions } from '../compose/composed.ts'
import { findModel } from '../request/read-job.ts'
import { jobSettings } from '../request/settings.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { ApiOperation } from '../kit/definition.ts'
import { callOf, type ServedApi } from '../served.ts'
import { contentTypeOf, toReply, withRefusals, type Refuse } from './replies.ts'

/** What an operation without a job does. */
export function callBehaviour(
  name: string,
  operation: Extract<ApiOperation, { role: 'call' }>,
  { definition }: ServedApi,
  core: Core,
  { form, refuse }: { readonly form: Form | undefined; readonly refuse: Refuse },
): Behaviour<readonly RequestPhoto[], unknown> {
  const { status = 200, reply } = operation
  const { prepare, reads, directives } = operation as unknown as Partial<ReceiveOptions>
  const settings = core.use(jobSettings)
  const readsOf = (x: Exchange) => callDefined(name, 'reads', () => reads!(callOf(x) as ComposeCall))
  const respond = (x: Exchange, body: unknown) => {
    const contentType = contentTypeOf(definition, x.core, operation)
    const made = callDefined(name, 'reply', () => reply(callOf(x, body) as never))
    return toReply(made, { x, task: undefined, operation: name, status, contentType })
  }
  return {
    ...(form && {
      prepare: (body, media, path) =>
        prepare?.(body, { media, path, settings }) ?? { prepared: [], fields: body },
      parse: (_x, body) => body,
    }),
    ...(reads && {
      describe: (x) => describeRequest(readsOf(x).model, readsOf(x).prompt),
      check: (x) => void findModel(readsOf(x).model, settings, definition.modelPrefix),
    }),
    ...(settings.promptDirectives && directives),
    guard: (run) => withRefusals(refuse, run),
    respond: (x, body) => withRefusals(refuse, () => respond(x, form ? body : x.body)),
  }
}
