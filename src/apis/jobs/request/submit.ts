import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Exchange, PreparedBody } from '../../../gateway/exchange.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { dollarsOf, videoTokens } from '../../../gateway/accounts/prices.ts'
import { definitionError } from '../../../gateway/replies/errors.ts'
import { hintHeader } from '../../../gateway/replies/reply.ts'
import { taskDirectives } from '../../../scenario/directives.ts'
import type { Core } from '../../../gateway/core.ts'
import { describeRequest, type Behaviour, type Description } from '../../define/operation.ts'
import type { Form } from '../../define/form.ts'
import { isObject } from '../../../engine/is-object.ts'
import { parseSize } from '../../../media/size.ts'
import { Answer } from '../kit/answer.ts'
import { callDefined } from '../kit/call-defined.ts'
import { showValue } from '../kit/check.ts'
import type { ComposedJob, ComposeOptions } from '../compose/composed.ts'
import type { ApiDefinition, ApiOperation } from '../kit/definition.ts'
import type { SubmitOperation } from '../kit/submission.ts'
import type { Call, JobRequest } from '../kit/call.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import { checkJob } from './check-job.ts'
import { planIdempotency } from './idempotency.ts'
import { receiveImages } from './images.ts'
import { Job } from '../job/job.ts'
import { aliasesOf } from '../job/aliases.ts'
import { filesOf, jobRequest, type StoredJob } from '../job/stored-job.ts'
import { imagesOf, jobId, recordJob, requestedClip, type ReadJob, type TaskForm } from '../job/record.ts'
import { Refused } from '../kit/refused.ts'
import { checkHook, webhookFields } from '../replies/webhook.ts'
import { composeFields, readComposed } from '../compose/compose.ts'
import { confirmJob } from './confirm.ts'
import { contentTypeOf, refuseJob, withRefusals, toReply, type Refuse } from '../replies/replies.ts'
import { filesToStore } from './files.ts'
import { uploadsOf } from './uploads.ts'
import { findModel, readJob, readLike, type OldJob } from './read-job.ts'
import { callOf } from '../request-call.ts'
import type { ServedApi } from '../served.ts'
import { jobSettings, type JobSettings } from './settings.ts'

/** A body as its schema and `job` read it, or why they don't. */
type ReadBody =
  | { readonly data: unknown; readonly jobs: readonly MadeJob[]; readonly old?: Job }
  | { readonly refused: unknown }

type MadeJob = JobRequest | ComposedJob

/** A submission that was accepted. */
interface Accepted {
  readonly requests: readonly AcceptedJob[]
  readonly data: unknown
  /** A job that exists, which the reply is about. */
  readonly old: Job | undefined
}

interface AcceptedJob {
  readonly request: ReadJob
  readonly job: MadeJob
}

/** What a submission does. */
export function submitBehaviour(
  name: string,
  operation: Extract<ApiOperation, { role: 'submit' | 'confirm' }>,
  served: ServedApi,
  core: Core,
  { form, refuse }: { readonly form: Form; readonly refuse: Refuse },
): Behaviour<readonly RequestPhoto[], Accepted> {
  const { definition } = served
  const { makes: usual = 'video', sizesOf } = definition
  const settings = withDefaults(core.use(jobSettings), definition)
  const { reads, ofJob = false, status = 200 } = operation
  const contentType = contentTypeOf(definition, core, operation)
  const limitsOfVideos = { sizesOf, defaultSize: settings.size.default }
  const limitsOfImages = { sizesOf, defaultSize: '1024x1024' }

  const read = (job: MadeJob, x: Exchange & { readonly prepared: readonly RequestPhoto[] }): ReadJob => {
    if ('compose' in job) return readComposed(job)
    if (job.like) return readLike(job, oldJob(x.task!), settings)
    const makes = job.files?.[0]?.makes ?? job.makes ?? usual
    const limits = makes === 'video' ? limitsOfVideos : limitsOfImages
    return readJob(job, x.prepared, settings, limits)
  }
  const take = (
    x: Exchange & { readonly prepared: readonly RequestPhoto[] },
    { request, job }: AcceptedJob,
  ): Task => {
    const fields = (drawSeed: () => number): Partial<StoredJob> =>
      'compose' in job
        ? composeFields(x, job, core.findDrawing, drawSeed)
        : filesToStore(x, job, request, usual)
    if (operation.role === 'submit')
      return submitJob(x, core, { request, job, served, fields, parent: ofJob ? x.task : undefined })
    const seedOf = (): number => Number(jobRequest(x.task!).seed)
    return confirmJob(x, name, { request, job, fields: fields(seedOf) }, served, settings, refuse)
  }
  const callFor = (x: Exchange, data: unknown): Call<never> => {
    const call = callOf(x, data) as Call<never>
    return ofJob && x.task ? Object.assign(call, { parent: new Job(x, x.task, served) }) : call
  }
  const toJob = (x: Exchange, data: unknown): ReadBody => {
    const job = callDefined(name, 'job', () => operation.job(callFor(x, data)))
    if (job instanceof Answer)
      return { refused: refuseJob(job.status, `${name} refuses the request`, { answer: job }) }
    if (job instanceof Refused) return { refused: job }
    if (job instanceof Job) return { data, jobs: [], old: job }
    if (!served.isShipped) return { data, jobs: [checkJob(name, job)] }
    return { data, jobs: Array.isArray(job) ? (job as MadeJob[]) : [job as MadeJob] }
  }
  const readBody = (x: Exchange): ReadBody => {
    try {
      return toJob(x, form.read(x.body))
    } catch (error) {
      return { refused: error }
    }
  }
  // The same for the job.
  let latest: { readonly of: Exchange; readonly body: ReadBody } | undefined
  const readOnce = (x: Exchange): ReadBody => {
    if (latest?.of !== x) latest = { of: x, body: readBody(x) }
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
    const [job] = 'jobs' in body ? body.jobs : []
    return job ? { model: job.model, prompt: job.prompt } : {}
  }

  return {
    ...(settings.promptDirectives && {
      directives: taskDirectives,
      ...(operation as unknown as Partial<ComposeOptions>).directives,
    }),
    ...(operation.idempotency && {
      idempotency: planIdempotency(name, operation.idempotency, refuse),
    }),
    prepare: (body, media, path) => {
      const { prepare } = operation as unknown as Partial<ComposeOptions>
      if (prepare) return prepare(body, { media, path, settings })
      return prepareImages(name, operation, body, media, { core, limitBytes: settings.imageLimitBytes })
    },
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
        if (ofJob !== true) findModel(model, settings, definition.modelPrefix)
      },
    }),
    guard: (run) => withRefusals(refuse, run),
    parse: (x, fields) => {
      checkHook(x, served, core)
      const body = reads ? toJob(x, fields) : readOnce(x)
      latest = known = undefined
      if ('refused' in body) throw body.refused
      const { data, jobs, old } = body
      return { requests: jobs.map((job) => ({ request: read(job, x), job })), data, old }
    },
    respond: (x, { requests, data, old }) => {
      const [first] = requests
      const found = old ? x.tasks.find(old.id) : findMade(x, served, first!.job.once)
      const tasks = found ? [found] : requests.map((each) => take(x, each))
      const call = callFor(x, data)
      if (found) Object.assign(call, { isOld: true })
      if (tasks.length > 1) Object.assign(call, { made: tasks.map(({ id }) => id) })
      const task = tasks[0]!
      const made = callDefined(name, 'reply', () => operation.reply(new Job(x, task, served), call))
      const reply = toReply(made, { x, task, operation: name, status, contentType })
      const advice = first?.request.advice
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

/** The parts of an old job's request that a job like it takes over. */
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
    fields,
    parent,
  }: AcceptedJob & {
    served: ServedApi
    fields: (drawSeed: () => number) => object
    parent: Task | undefined
  },
): Task {
  const { model, seconds, size } = request
  const framesPerSecond = core.use(jobSettings).framesPerSecond.full
  // With the spread first, V8 would create a hidden class for each request.
  const tokens = { input: 0, output: videoTokens({ seconds, framesPerSecond, ...size }) }
  const work = { task: true, seconds, tokens }
  const quota = served.isShipped ? x.billing.quotaFor(model, work) : x.billing.configuredQuotaFor(model, work)
  const shortage = x.account.shortage(quota, x.now)
  if (shortage) {
    const { code, left, message } = shortage
    const text = `The balance of the key is $${dollarsOf(left)}, and the job costs $${dollarsOf(quota)}`
    throw refuseJob(403, served.isShipped ? message : text, { code })
  }
  const form: TaskForm = {
    lifecycle: served.kind,
    id: served.id,
    draws: served.draws,
    course: job,
    fields: (drawSeed) => ({ ...fields(drawSeed), ...webhookFields(x, served, core) }),
  }
  const facts = { quota, tokens: tokens.output, remixedFrom: parent?.record.id }
  const record = recordJob(x, request, core, facts, form)
  const { draws, namespace } = x
  const named = { draws, id: record.id, shardTag: namespace.shardTag }
  const aliases = aliasesOf(named, served.aliases, filesOf(record.request as StoredJob).length)
  const task = x.tasks.submit(aliases.length === 0 ? record : { ...record, aliases })
  x.charge(seconds > 0 ? { quota, task, seconds } : { quota, task })
  x.entry.task = task.record.id
  return task
}

/** The latest job that was made once and has not failed. */
function findMade(x: Exchange, served: ServedApi, once: string | undefined): Task | undefined {
  if (once === undefined) return undefined
  for (let occurrence = x.namespace.acceptances.count(once) - 1; occurrence >= 0; occurrence--) {
    const task = x.tasks.find(jobId(x, served, once, occurrence))
    if (task && x.tasks.view(task, x.now).state !== task.lifecycle.roles.failure) return task
  }
  return undefined
}

function prepareImages(
  name: string,
  { images }: Pick<SubmitOperation, 'images'>,
  body: JsonObject,
  media: MediaSource,
  { core, limitBytes }: { readonly core: Core; readonly limitBytes: number },
): MaybePromise<PreparedBody<readonly RequestPhoto[]>> {
  if (!images) return { prepared: [], fields: body }
  const file: Call['file'] = (id) => (typeof id === 'string' ? core.use(uploadsOf).get(id)?.file : undefined)
  const found = callDefined(name, 'images', () => images(body, { file }))
  if (!isObject(found) && !Array.isArray(found))
    throw definitionError(name, 'images', `it returns ${showValue(found)}. Return a list`)
  return receiveImages(body, found, media, limitBytes)
}
