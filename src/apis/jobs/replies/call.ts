import type { Core } from '../../../gateway/core.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import { decodeBase64 } from '../../../gateway/bodies/base64.ts'
import { caps } from '../../../engine/caps.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { Form } from '../../define/form.ts'
import { describeRequest, type Behaviour } from '../../define/operation.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import type { ReceiveOptions } from '../compose/composed.ts'
import { findModel } from '../request/read-job.ts'
import { jobSettings } from '../request/settings.ts'
import type { IdForm } from '../job/record.ts'
import { hasJobs } from '../job/state-words.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { ApiOperation } from '../kit/definition.ts'
import type { JobOperation } from '../kit/operation.ts'
import { Refused } from '../kit/refused.ts'
import type { StoringCall } from '../kit/call.ts'
import { UploadedFile } from '../job/uploaded-file.ts'
import { uploadsOf } from '../request/uploads.ts'
import { callOf, findUpload } from '../request-call.ts'
import type { ServedApi } from '../served.ts'
import { contentTypeOf, toReply, withRefusals, type Refuse } from './replies.ts'

/** What an operation without a job does. */
export function callBehaviour(
  name: string,
  operation: Extract<ApiOperation, { role: 'call' }>,
  served: ServedApi,
  core: Core,
  { form, refuse }: { readonly form: Form | undefined; readonly refuse: Refuse },
): Behaviour<readonly RequestPhoto[], unknown> {
  const { status = 200, reply, reads } = operation
  const { prepare, directives } = operation as unknown as Partial<ReceiveOptions>
  const settings = core.use(jobSettings)
  const readsOf = (x: Exchange) => callDefined(name, 'reads', () => reads!(callOf(x)))
  const respond = (x: Exchange, body: unknown) => {
    const contentType = contentTypeOf(served.definition, x.core, operation)
    const made = callDefined(name, 'reply', () => reply(storingCallOf(x, served, body) as never))
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
      ...(hasJobs(served.definition) && {
        check: (x) => void findModel(readsOf(x).model, settings, served.definition.modelPrefix),
      }),
    }),
    ...(settings.promptDirectives && directives),
    guard: (run) => withRefusals(refuse, run),
    respond: (x, body) => withRefusals(refuse, () => respond(x, form ? body : x.body)),
  }
}

/** Answers a request whose id is that of an uploaded file. */
export function uploadReply(
  name: string,
  operation: Pick<JobOperation, 'uploaded' | 'status' | 'contentType' | 'route'>,
  served: ServedApi,
  x: Exchange,
): Reply {
  const { status = 200, uploaded } = operation
  const contentType = contentTypeOf(served.definition, x.core, operation)
  const file = findUpload(x, x.namedAs)!
  const made = callDefined(name, 'uploaded', () => uploaded!(file, storingCallOf(x, served, x.body)))
  return toReply(made, { x, task: undefined, operation: name, status, contentType })
}

function storingCallOf(x: Exchange, { uploadId }: ServedApi, body: unknown): StoringCall {
  const uploads = x.core.use(uploadsOf)
  const { namespace, caller } = x
  const store: StoringCall['store'] = (content, { name = 'upload', type } = {}) => {
    const read = readContent(content)
    const facts = { name, type: type ?? read.type, createdAt: x.now, bytes: read.bytes }
    const file = new UploadedFile(newUploadId(x, uploadId), facts)
    uploads.put(namespace.name, caller.hashedKey, file)
    return file
  }
  const forget = (id: string): boolean => findUpload(x, id) !== undefined && uploads.remove(id)
  return Object.assign(callOf(x, body as JsonObject) as StoringCall, { store, forget })
}

function readContent(content: unknown): { bytes: Uint8Array; type: string } {
  if (content instanceof Uint8Array) return { bytes: content, type: 'application/octet-stream' }
  if (typeof content !== 'string') throw new Refused('the file is missing, or there are several')
  const [, type] = /^data:([^,]*?);base64,/i.exec(content.slice(0, 300)) ?? []
  if (type === undefined)
    return { bytes: new TextEncoder().encode(content), type: 'text/plain; charset=utf-8' }
  const bytes = decodeBase64(content, caps.uploadBytes)
  // An empty file of a form is an empty data URL.
  return {
    bytes: typeof bytes === 'string' ? new Uint8Array() : bytes,
    type: type === '' ? 'text/plain' : type,
  }
}

/** Makes an id that no file has. It includes a hash of the namespace, so that namespaces never share one. */
function newUploadId(
  { namespace, draws, identity, core, tasks }: Exchange,
  { prefix, length, of, format = (drawn) => drawn }: IdForm,
): string {
  for (;;) {
    const n = namespace.acceptances.next(identity)
    const drawn = draws.text(of, length, 'upload.id', `${namespace.name}/${identity}`, n)
    const id = prefix + format(`${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`)
    if (!core.use(uploadsOf).get(id) && !tasks.find(id)) return id
  }
}
