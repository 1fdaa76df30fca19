import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { Exchange, PreparedBody } from '../../gateway/exchange.ts'
import type { MediaSource } from '../../media/source.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { InsufficientFunds } from '../../gateway/accounts/account.ts'
import { dollarsOf } from '../../gateway/accounts/prices.ts'
import { GatewayError, definitionError } from '../../gateway/replies/errors.ts'
import { taskDirectives } from '../../scenario/directives.ts'
import type { Core } from '../../gateway/core.ts'
import type { Behaviour } from '../define/operation.ts'
import { paint } from '../painting/painting.ts'
import { identityOfPhoto, receivePhoto, type RequestPhoto } from '../painting/photos.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import type { RequestImage } from '../video/image.ts'
import { maxImages, videoForm } from '../video/form.ts'
import { readVideoRequest, type VideoRequest } from '../video/request.ts'
import { videoSettings } from '../video/settings.ts'
import { submitVideo } from '../video/submit.ts'
import type { Form } from '../define/form.ts'
import type { ApiDefinition, JobRequest, SubmitOperation } from './definition.ts'
import { callOf, type ServedApi } from './served.ts'
import { ReplyAnswer } from './answer.ts'
import { Job, type JobMedium, type StoredJob } from './job.ts'
import { callDefined, noPromises } from './call-defined.ts'
import { refuseJob, toReply } from './replies.ts'
import { suggestKnown } from '../../engine/did-you-mean.ts'
import { isObject } from '../../engine/is-object.ts'
import { showValue } from './check.ts'

/** A body as its schema and `job` read it, or why they don't. */
type ReadBody = { readonly data: unknown; readonly job: JobRequest } | { readonly refused: GatewayError }

/** A submission that was accepted. */
interface Accepted {
  readonly request: VideoRequest
  readonly job: JobRequest
  readonly data: unknown
}

/** The form of a submission, by the schema of its definition. */
export function submitForm(
  name: string,
  { body: schema }: SubmitOperation,
  { refusals }: ApiDefinition,
): Form {
  // A request is read for the journal and for the task, in one turn that nothing interrupts: its body is parsed once.
  let latest: { readonly body: JsonObject; readonly parsed: ReturnType<typeof schema.safeParse> } | undefined
  return {
    schema: schema as unknown as Form['schema'],
    read: (body) => {
      if (latest?.body !== body) latest = { body, parsed: parseBody(name, schema, body) }
      const { success, data, error } = latest.parsed
      if (success) return data
      throw invalid(refusals?.invalidBody ?? 422, error.issues)
    },
  }
}

type BodySchema = SubmitOperation['body']

/** @throws {GatewayError} 500 if the schema throws, or has async checks. */
function parseBody(name: string, schema: BodySchema, body: JsonObject): ReturnType<BodySchema['safeParse']> {
  try {
    // `safeParse` would drop the promise of an async check, and its rejection would end the process.
    const result =
      '_zod' in schema ? schema._zod.run({ value: body, issues: [] }, { async: true }) : undefined
    if (!(result instanceof Promise))
      return result?.issues.length === 0 ? { success: true, data: result.value } : schema.safeParse(body)
    result.catch(() => {})
  } catch (error) {
    throw definitionError(name, 'body', error)
  }
  throw definitionError(name, 'body', noPromises)
}

/** What a submission does. */
export function submitBehaviour(
  name: string,
  operation: SubmitOperation,
  served: ServedApi,
  core: Core,
  form: Form,
): Behaviour<readonly RequestPhoto[], Accepted> {
  const settings = core.use(videoSettings)
  const { definition } = served
  const { invalidBody = 422 } = definition.refusals ?? {}

  const read = (x: Exchange): ReadBody => {
    try {
      const data = form.read(x.body)
      const job = callDefined(name, 'job', () => operation.job(callOf(x, data) as never))
      if (job instanceof ReplyAnswer)
        return { refused: refuseJob(job.status, `${name} refuses the request`, { answer: job }) }
      return { data, job: checkJob(name, job) }
    } catch (error) {
      return { refused: error as GatewayError }
    }
  }
  // The same for the job.
  let latest: { readonly of: Exchange; readonly body: ReadBody } | undefined
  const readOnce = (x: Exchange): ReadBody => {
    if (latest?.of !== x) latest = { of: x, body: read(x) }
    return latest.body
  }

  return {
    ...(settings.promptDirectives && { directives: taskDirectives }),
    prepare: (body, media) =>
      prepareImages(name, operation, body, media, { bytes: settings.imageLimitBytes, status: invalidBody }),
    describe: (x) => {
      if (x.refusal) return {}
      const body = readOnce(x)
      return 'job' in body ? { model: body.job.model, prompt: body.job.prompt } : {}
    },
    parse: (x) => {
      const body = readOnce(x)
      latest = undefined
      if ('refused' in body) throw body.refused
      const { data, job } = body
      try {
        return {
          request: readVideoRequest(
            videoForm.read(fieldsOf(job, definition.makes)),
            x.prepared.map(toRequestImage),
            settings,
          ),
          job,
          data,
        }
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status !== 400) throw error
        throw refuseJob(invalidBody, error.message)
      }
    },
    respond: (x, { request, job, data }) => {
      const { lifecycle, id } = served
      const fields = fieldsToStore(x, job, request, definition.makes)
      const task = submitVideo(x, request, core, {
        form: { lifecycle: lifecycle.name, id, fields, unpaid: refuseUnpaid },
      })
      const made = callDefined(name, 'reply', () =>
        operation.reply(new Job(x, task, served), callOf(x, data) as never),
      )
      return toReply(made, { x, task, operation: name, status: operation.status ?? 200 })
    },
  }
}

function refuseUnpaid({ code, left, quota }: InsufficientFunds): GatewayError {
  const text = `The balance of the key is $${dollarsOf(left)}, and the job costs $${dollarsOf(quota)}`
  return refuseJob(403, text, { code })
}

function invalid(
  status: number,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): GatewayError {
  const listed = issues.map(({ path, message }) => ({
    path: path.map((each) => (typeof each === 'symbol' ? String(each) : each)),
    message,
  }))
  const text = listed.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ')
  return refuseJob(status, text, { issues: listed })
}

/** The request of a job, in the fields that the video API reads. */
function fieldsOf(job: JobRequest, usual: JobMedium | undefined): JsonObject {
  const { model, prompt, seconds, aspectRatio, resolution, seed, makes = usual } = job
  const hasSize = job.size !== undefined || aspectRatio !== undefined || resolution !== undefined
  const size = makes === 'image' && !hasSize ? '1024x1024' : job.size
  return {
    model,
    prompt,
    ...(seconds !== undefined && { duration: seconds }),
    ...(size !== undefined && { size }),
    metadata: {
      ...(seed !== undefined && { seed }),
      ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
      ...(resolution !== undefined && { resolution }),
    },
  }
}

/** What tasks of the video API don't store: the input that replies repeat, and images. */
function fieldsToStore(
  x: Exchange & { readonly prepared: readonly RequestPhoto[] },
  { makes, count = 1, format, input }: JobRequest,
  { directed, model, rendered: { width, height } }: VideoRequest,
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

/** @throws {GatewayError} `limits.status` for too many images, before any is decoded. */
function prepareImages(
  name: string,
  { images }: SubmitOperation,
  body: JsonObject,
  media: MediaSource,
  limits: { readonly bytes: number; readonly status: number },
): MaybePromise<PreparedBody<readonly RequestPhoto[]>> {
  const found = images ? callDefined(name, 'images', () => images(body)) : []
  if (!Array.isArray(found))
    throw definitionError(name, 'images', `it returns ${showValue(found)}. Return a list`)
  if (found.length > maxImages)
    throw refuseJob(limits.status, `images has ${found.length} pictures, at most ${maxImages} are taken`)
  const given = found.filter((image) => image !== undefined && image !== null)
  if (given.length === 0) return { prepared: [], fields: body }
  const received = Promise.all(given.map((image) => receivePhoto(image as JsonValue, media, limits.bytes)))
  // The identity of a request has the digests of its images.
  return received.then((prepared) => ({
    prepared,
    fields: { ...body, images: prepared.map(identityOfPhoto) },
  }))
}

/** An image as videos take it. */
function toRequestImage(photo: RequestPhoto): RequestImage {
  if ('refused' in photo) return { refused: `an image is refused: ${photo.refused}` }
  const { digest, url, drawing } = photo
  return digest === undefined ? { url: url! } : { digest, ...(drawing && { drawing }) }
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
  seconds: [(value) => typeof value === 'number' && value > 0, 'a number of seconds above 0'],
  size: text,
  aspectRatio: text,
  resolution: text,
  seed: [(value) => typeof value === 'string' || Number.isFinite(value), 'a number or a text'],
  count: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxCount,
    `1 to ${maxCount}`,
  ],
  format: [(value) => ['png', 'jpeg', 'webp'].includes(String(value)), "'png', 'jpeg' or 'webp'"],
  input: [(value) => typeof value === 'object', 'an object'],
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
