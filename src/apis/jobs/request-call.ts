import { priceOf } from '../../gateway/accounts/prices.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Core } from '../../gateway/core.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { isFor, modelCatalog } from '../define/catalog.ts'
import { fileIndexOf } from './job/aliases.ts'
import { Job } from './job/job.ts'
import type { UploadedFile } from './job/uploaded-file.ts'
import type { Call, CallAccount, CallModel } from './kit/call.ts'
import type { JobCall } from './kit/operation.ts'
import { jobSettings, type JobSettings } from './request/settings.ts'
import { uploadsOf } from './request/uploads.ts'
import type { ServedApi } from './served.ts'

/** A request about jobs, as functions of a definition read it. */
export function jobCallOf(x: Exchange, served: ServedApi): JobCall {
  return new JobRequestCall(x, served)
}

/** A request, as functions of a definition read it. */
export function callOf(x: Exchange, body: unknown = x.body): Call {
  return new RequestCall(x, body as JsonObject)
}

class RequestCall implements Call {
  readonly #x: Exchange
  readonly body: JsonObject

  constructor(x: Exchange, body: JsonObject) {
    this.#x = x
    this.body = body
  }

  get params(): Call['params'] {
    return this.#x.params
  }

  get now(): number {
    return this.#x.now
  }

  get quirks(): Call['quirks'] {
    return quirksIn(this.#x.core)
  }

  get path(): string {
    return this.#x.path
  }

  get requestId(): string {
    return this.#x.entry.requestId
  }

  /** For APIs of the gateway. */
  get origin(): string {
    return this.#x.origin
  }

  /** For APIs of the gateway. */
  get shardTag(): string {
    return this.#x.namespace.shardTag
  }

  /** For APIs of the gateway. */
  get settings(): JobSettings {
    return this.#x.core.use(jobSettings)
  }

  /** For APIs of the gateway. */
  get images(): unknown {
    return this.#x.prepared
  }

  /** For operations without a job. */
  get account(): CallAccount {
    const { account, now, key, billing } = this.#x
    const { balance, spent, reserved } = account.usage(now)
    const { expires: given = null } = key ?? {}
    const expires = typeof given === 'string' ? Date.parse(given) : given
    return { balance, spent, reserved, expires, discount: billing.discount }
  }

  /** For operations without a job. */
  get models(): readonly CallModel[] {
    const { core, key, billing } = this.#x
    return core.use(modelCatalog).listed.map((model) => ({
      ...model,
      isAllowed: isFor(key, model),
      price: priceOf(billing.prices, model.name),
    }))
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#x.query)
  }

  get files(): Call['files'] {
    const { core, namespace, caller } = this.#x
    return core.use(uploadsOf).list(namespace.name, caller.hashedKey)
  }

  get file(): Call['file'] {
    return (id) => findUpload(this.#x, id)
  }

  /** Functions take it out of the object, so it has no `this`. */
  get header(): Call['header'] {
    return (name) => this.#x.header(name.toLowerCase())
  }
}

class JobRequestCall extends RequestCall implements JobCall {
  readonly #x: Exchange
  readonly #served: ServedApi

  constructor(x: Exchange, served: ServedApi) {
    super(x, x.body)
    this.#x = x
    this.#served = served
  }

  get jobs(): readonly Job[] {
    const { task, others, tasks } = this.#x
    // A cancellation has replaced them.
    return [task!, ...others].map(({ id }) => new Job(this.#x, tasks.find(id)!, this.#served))
  }

  get index(): number {
    return fileIndexOf(this.#x.task!.record, this.#x.namedAs)
  }
}

/** The uploaded file of an id, of the key of the request; for a request without a key, of any. */
export function findUpload({ core, namespace, caller }: Exchange, id: unknown): UploadedFile | undefined {
  if (typeof id !== 'string') return undefined
  const uploads = core.use(uploadsOf)
  return (caller.key ? uploads.get(id, namespace.name, caller.hashedKey) : uploads.get(id))?.file
}

/** The chosen quirks. */
export function quirksIn({ quirks }: Pick<Core, 'quirks'>): Call['quirks'] {
  return quirks as object as Call['quirks']
}
