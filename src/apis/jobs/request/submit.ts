import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Exchange, PreparedBody } from '../../../gateway/exchange.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { dollarsOf, videoTokens } from '../../../gateway/accounts/prices.ts'
import { definitionError, GatewayError } from '../../../gateway/replies/errors.ts'
import { hintHeader } from '../../../gateway/replies/reply.ts'
import { taskDirectives } from '../../../scenario/directives.ts'
import type { Core } from '../../../gateway/core.ts'
import { describeRequest, type Behaviour, type Description } from '../../define/operation.ts'
import type { Form } from '../../define/form.ts'
import { paint } from '../../painting/painting.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { suggestKnown } from '../../../engine/did-you-mean.ts'
import { isObject } from '../../../engine/is-object.ts'
import { parseSize } from '../../../media/size.ts'
import { ReplyAnswer } from '../kit/answer.ts'
import { callDefined, noPromises } from '../kit/call-defined.ts'
import { runWatched } from '../../define/watched-functions.ts'
import { showValue } from '../kit/check.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import type { BodyForm, SubmitOperation } from '../kit/submission.ts'
import type { Call, JobRequest } from '../kit/call.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import { planIdempotency } from './idempotency.ts'
import { receiveImages } from './images.ts'
import { Job, jobRequest, type JobMedium, type StoredJob } from '../job/job.ts'
import { aliasesOf } from '../job/aliases.ts'
import { imagesOf, recordJob, requestedClip, type ReadJob } from '../job/record.ts'
import { Refused } from '../kit/refused.ts'
import { webhookFields } from '../replies/webhook.ts'
import { contentTypeOf, refuseJob, withRefusals, toReply, type Refuse } from '../replies/replies.ts'
import { findModel, readJob, readLike, type OldJob } from './read-job.ts'
import { callOf, type ServedApi } from '../served.ts'
import { jobSettings, type JobSettings } from './settings.ts'

/** A body as its schema and `job` read it, or why they don't. */
type ReadBody = { readonly data: unknown; readonly job: JobRequest } | { readonly refused: unknown }

/** A submission that was accepted. */
interface Accepted {
  readonly request: ReadJob
  readonly job: JobRequest
  readonly data: unknown
}

type BodySchema = Exclude<SubmitOperation['body'], BodyForm<never>>

/** The form of a submission, by the schema of its definition. */
export function submitForm(name: string, { body }: Pick<SubmitOperation, 'body'>, refuse: Refuse): Form {
  if ('read' in body) return body as unknown as Form
  // A request is read for the journal and for the task, in one turn that nothing interrupts: its body is parsed once.
  let latest: { readonly body: JsonObject; readonly parsed: Parsed } | undefined
  return {
    schema: body as unknown as Form['schema'],
    read: (fields) => {
      if (latest?.body !== fields)
        latest = { body: fields, parsed: runWatched(name, 'body', () => parseBody(name, body, fields)) }
      const { value, issues } = latest.parsed
      if (issues.length === 0) return value
      throw invalid(refuse, issues)
    },
  }
}

interface Parsed {
  readonly value: unknown
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}

/** @throws {GatewayError} 500 if the schema throws, or has async checks. */
function parseBody(name: string, schema: BodySchema, body: JsonObject): Parsed {
  try {
    // `safeParse` would drop the promise of an async check, and its rejection would end the process.
    const result =
      '_zod' in schema ? schema._zod.run({ value: body, issues: [] }, { async: true }) : undefined
    if (!(result instanceof Promise)) {
      if (result?.issues.length === 0) return { value: result.value, issues: [] }
      const { data, error } = (schema as unknown as Parser).safeParse(body)
      return { value: data, issues: error?.issues ?? [] }
    }
    result.catch(() => {})
  } catch (error) {
    throw definitionError(name, 'body', error)
  }
  throw definitionError(name, 'body', noPromises)
}

interface Parser {
  readonly safeParse: (body: JsonObject) => { data?: unknown; error?: { issues: Parsed['issues'] } }
}

/** What a submission does. */
export function submitBehaviour(
  name: string,
  operation: SubmitOperation,
  served: ServedApi,
  core: Core,
  { form, refuse }: { readonly form: Form; readonly refuse: Refuse },
): Behaviour<readonly RequestPhoto[], Accepted> {
  const { definition } = served
  const { makes: usual = 'video', sizesOf } = definition
  const settings = withDefaults(core.use(jobSettings), definition)
  const { reads, ofJob = false, status = 200 } = operation
  const contentType = contentTypeOf(definition, operation)
  const limitsOfVideos = { sizesOf, defaultSize: settings.size.default }
  const limitsOfImages = { sizesOf, defaultSize: '1024x1024' }

  const callFor = (x: Exchange, data: unknown): Call<never> => {
    const call = callOf(x, data) as Call<never>
    return ofJob && x.task ? Object.assign(call, { parent: new Job(x, x.task, served) }) : call
  }
  const toJob = (x: Exchange, data: unknown): ReadBody => {
    const job = callDefined(name, 'job', () => operation.job(callFor(x, data)))
    if (job instanceof ReplyAnswer)
      return { refused: refuseJob(job.status, `${name} refuses the request`, { answer: job }) }
    if (job instanceof Refused) return { refused: job }
    return { data, job: served.isShipped ? (job as JobRequest) : checkJob(name, job) }
  }
  const read = (x: Exchange): ReadBody => {
    try {
      return toJob(x, form.read(x.body))
    } catch (error) {
      return { refused: error }
    }
  }
  // The same for the job.
  let latest: { readonly of: Exchange; readonly body: ReadBody } | undefined
  const readOnce = (x: Exchange): ReadBody => {
    if (latest?.of !== x) latest = { of: x, body: read(x) }
    return latest.body
  }
  let known: { readonly of: Exchange; readonly found: ReturnType<NonNullable<typeof reads>> } | undefined
  const readsOf = (x: Exchange) => {
    if (known?.of !== x)
      known = { of: x, found: callDefined(name, 'reads', () => reads!(callFor(x, x.body) as Call)) }
    return known.found
  }
  const describe = (x: Exchange): Description => {
    if (reads) return describeRequest(readsOf(x).model, readsOf(x).prompt)
    const body = readOnce(x)
    return 'job' in body ? { model: body.job.model, prompt: body.job.prompt } : {}
  }

  return {
    ...(settings.promptDirectives && { directives: taskDirectives }),
    ...(operation.idempotency && {
      idempotency: planIdempotency(name, operation.idempotency, refuse),
    }),
    prepare: (body, media) => prepareImages(name, operation, body, media, settings.imageLimitBytes),
    describe: (x) => {
      try {
        return x.refusal ? {} : describe(x)
      } catch {
        // It is thrown again when the request is checked, for the envelope.
        return {}
      }
    },
    ...(reads && {
      check: (x) => {
        const { model } = readsOf(x)
        if (!ofJob) findModel(model, settings)
      },
    }),
    guard: (run) => withRefusals(refuse, run),
    parse: (x, fields) => {
      const body = reads ? toJob(x, fields) : readOnce(x)
      latest = known = undefined
      if ('refused' in body) throw body.refused
      const { data, job } = body
      if (job.like) return { request: readLike(job, oldJob(x.task!), settings), job, data }
      const limits = (job.makes ?? usual) === 'image' ? limitsOfImages : limitsOfVideos
      return { request: readJob(job, x.prepared, settings, limits), job, data }
    },
    respond: (x, { request, job, data }) => {
      const task = submitJob(x, core, { request, job, served, parent: ofJob ? x.task : undefined })
      const made = callDefined(name, 'reply', () =>
        operation.reply(new Job(x, task, served), callFor(x, data)),
      )
      const reply = toReply(made, { x, task, operation: name, status, contentType })
      const { advice } = request
      return advice === undefined ? reply : { ...reply, headers: { ...reply.headers, ...hintHeader(advice) } }
    },
  }
}

/** The settings with the defaults of an API, unless they are outside the configured bounds. */
function withDefaults(settings: JobSettings, { defaults = {} }: ApiDefinition): JobSettings {
  const { seconds, size } = settings
  const length = defaults.seconds ?? 0
  const { width = 0, height = 0 } = defaults.size === undefined ? {} : parseSize(defaults.size)!
  const fits = Math.min(width, height) >= size.min && Math.max(width, height) <= size.max
  return {
    ...settings,
    seconds: length >= seconds.min && length <= seconds.max ? { ...seconds, default: length } : seconds,
    size: fits && defaults.size !== undefined ? { ...size, default: defaults.size } : size,
  }
}

/** The request of an old job, for one that is like it. */
function oldJob(task: Task): OldJob {
  const { model, seed, seconds, width, height } = requestedClip(task)
  const stored = jobRequest(task)
  return {
    model,
    seed,
    seconds: stored.seconds,
    size: { width: stored.width, height: stored.height },
    rendered: { seconds, width, height },
    images: imagesOf(stored),
  }
}

/**
 * Submits a job. Its price is reserved; a failed job returns it.
 * @throws {GatewayError} for a key that can't pay.
 */
function submitJob(
  x: Exchange & { readonly prepared: readonly RequestPhoto[] },
  core: Core,
  {
    request,
    job,
    served,
    parent,
  }: { request: ReadJob; job: JobRequest; served: ServedApi; parent: Task | undefined },
): Task {
  const { model, seconds, size } = request
  const framesPerSecond = core.use(jobSettings).framesPerSecond.full
  // With the spread first, V8 would create a hidden class for each request.
  const tokens = { input: 0, output: videoTokens({ seconds, framesPerSecond, ...size }) }
  const quota = x.billing.quotaFor(model, { task: true, seconds, tokens })
  const shortage = x.account.shortage(quota, x.now)
  if (shortage) {
    const { code, left, message } = shortage
    const text = `The balance of the key is $${dollarsOf(left)}, and the job costs $${dollarsOf(quota)}`
    throw refuseJob(403, served.isShipped ? message : text, { code })
  }
  const stored = fieldsToStore(x, job, request, served.definition.makes)
  const fields = { ...stored, ...webhookFields(x, served, core) }
  const form = { lifecycle: served.kind, id: served.id, fields }
  const facts = { quota, tokens: tokens.output, remixedFrom: parent?.record.id }
  const record = recordJob(x, request, core, facts, form)
  const { draws, namespace } = x
  const named = { draws, id: record.id, shardTag: namespace.shardTag }
  const aliases = aliasesOf(named, served.aliases, stored.pictures?.length ?? 1)
  const task = x.tasks.submit(aliases.length === 0 ? record : { ...record, aliases })
  x.charge({ quota, task, seconds })
  x.entry.task = task.record.id
  return task
}

function invalid(refuse: Refuse, issues: Parsed['issues']): GatewayError {
  const listed = issues.map(({ path, message }) => ({
    path: path.map((each) => (typeof each === 'symbol' ? String(each) : each)),
    message,
  }))
  const message = listed.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ')
  return refuse('invalidBody', { message, issues: listed })
}

/** What tasks of clips don't store: the input that replies repeat, and images. */
function fieldsToStore(
  x: Exchange & { readonly prepared: readonly RequestPhoto[] },
  { makes, count = 1, format, input }: JobRequest,
  { directed, model, rendered: { width, height } }: ReadJob,
  usual: JobMedium = 'video',
): Pick<StoredJob, 'input' | 'pictures'> {
  const stored: unknown = input === undefined ? undefined : JSON.parse(JSON.stringify(input))
  if ((makes ?? usual) === 'video') return { ...(stored !== undefined && { input: stored }) }
  const file = format === undefined || format === 'png' ? undefined : { format, quality: 90 }
  const photos = x.prepared.filter((image): image is Photo => !('refused' in image))
  const painting = { prompt: directed.prompt, model, photos, size: { width, height }, file } as const
  // The record names the file of a rule as `made`, as that of a video does.
  const { file: _file, ...media } = x.decision.media ?? {}
  const unfiled = Object.create(x, { decision: { value: { ...x.decision, media } } }) as typeof x
  const pictures = Array.from({ length: count }, (_, index) => paint(painting, index, unfiled))
  return { ...(stored !== undefined && { input: stored }), pictures }
}

function prepareImages(
  name: string,
  { images }: SubmitOperation,
  body: JsonObject,
  media: MediaSource,
  limitBytes: number,
): MaybePromise<PreparedBody<readonly RequestPhoto[]>> {
  if (!images) return { prepared: [], fields: body }
  const found = callDefined(name, 'images', () => images(body))
  if (!isObject(found) && !Array.isArray(found))
    throw definitionError(name, 'images', `it returns ${showValue(found)}. Return a list`)
  return receiveImages(body, found, media, limitBytes)
}
/** More images than any vendor makes of one prompt. */
const maxCount = 16

type FieldCheck = readonly [fits: (value: unknown) => boolean, write: string]

const text: FieldCheck = [(value) => typeof value === 'string', 'a text']

/** What `job` may return, and what each field must be. */
const jobFields: Readonly<Record<keyof JobRequest, FieldCheck>> = {
  model: [(value) => typeof value === 'string' && value !== '', 'the name of a model'],
  prompt: text,
  makes: [(value) => value === 'video' || value === 'image', "'video' or 'image'"],
  like: [isObject, 'call.parent'],
  seconds: [
    (value) => (typeof value === 'number' || /^\d+$/.test(String(value))) && Number(value) > 0,
    'a number of seconds above 0',
  ],
  size: text,
  aspectRatio: text,
  resolution: [(value) => typeof value === 'string' || Number.isInteger(value), 'a text'],
  seed: [(value) => typeof value === 'string' || Number.isFinite(value), 'a number or a text'],
  count: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxCount,
    `1 to ${maxCount}`,
  ],
  format: [(value) => ['png', 'jpeg', 'webp'].includes(String(value)), "'png', 'jpeg' or 'webp'"],
  input: [(value) => typeof value === 'object', 'an object'],
  action: text,
  names: [isObject, 'an object'],
}
const requiredFields = ['model', 'prompt'] as const

/**
 * Checks what `job` returned, also of callers without a compiler.
 * @throws {GatewayError} 500 for a field that is missing, unknown, or of another type.
 */
function checkJob(operation: string, job: unknown): JobRequest {
  const fail = (text: string): never => {
    throw definitionError(operation, 'job', text)
  }
  if (!isObject(job)) fail(`it returns ${showValue(job)}. Return { model, prompt }, or an answer to refuse`)
  const given = job as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(given)) {
    const field = (jobFields as Readonly<Record<string, FieldCheck>>)[name]
    if (!field) {
      const hint = suggestKnown(name, Object.keys(jobFields), 'Known here')
      fail(`${name} is ${showValue(value)}, and no field has this name.${hint}`)
    } else if (value !== undefined && !field[0](value))
      fail(`${name} is ${showValue(value)}. Return ${field[1]}`)
  }
  for (const name of requiredFields)
    if (given[name] === undefined) fail(`${name} is missing. Return ${jobFields[name][1]}`)
  return job as JobRequest
}
