import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { isObject } from '../../../engine/is-object.ts'
import { jobSettings } from '../request/settings.ts'
import { planTask } from '../../../engine/tasks/plan-task.ts'
import type { TaskRecord } from '../../../engine/tasks/plan.ts'
import { requestOf, type Task } from '../../../engine/tasks/tasks.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { AudioOption, ClipImage, ClipSpec, FileSpec } from '../../../media/spec.ts'
import { readMediaShape, sizeAndLength, type MadeMedia } from '../../../scenario/rules/rule.ts'
import type { DirectedPrompt } from '../../../scenario/directives.ts'
import type { Size } from '../../../media/raster/raster.ts'
import type { MediaShape } from '../../../scenario/vocabulary/types.ts'
import type { Drawing, Photo } from '../../../pictures/composition/drawing.ts'
import type { Core } from '../../../gateway/core.ts'
import { drawsOf, shapeOf, type JobCourse } from './course.ts'
import { newRecord, newTaskId } from './task-record.ts'

/** A valid request for a job. */
export interface ReadJob {
  readonly model: string
  readonly directed: DirectedPrompt
  readonly seconds: number
  readonly size: Size
  /** The images that the clip shows one after the other. */
  readonly images: readonly GivenImage[]
  /** The size and length that are rendered. */
  readonly rendered: RenderedClip
  /** An unexpected length or size, for the hint header. */
  readonly advice: string | undefined
  /** The seed of the clip, if the request has one. */
  readonly seed: string | undefined
  readonly audio: AudioOption
  readonly action: string
}

export interface RenderedClip extends Size {
  readonly seconds: number
}

/** The form of the ids of tasks. */
export interface IdForm {
  readonly prefix: string
  /** How many characters are drawn, and from which. */
  readonly length: number
  readonly of: string
  /** Formats the drawn characters. */
  readonly format?: (drawn: string) => string
}

/** What an API decides about the tasks that it makes. */
export interface TaskForm {
  readonly lifecycle: string
  readonly id: IdForm
  /** What the purposes of random draws begin with. */
  readonly draws: string
  /** How a job is to pass its states. */
  readonly course: JobCourse
  /** Returns further fields of its request. */
  readonly fields: (drawSeed: () => number) => object
}

const storedImage = once(() => ({
  imageDigest: z.optional(z.string()),
  imageUrl: z.optional(z.string()),
  imageDrawing: z.optional(z.custom<Drawing>()),
}))
const clipSize = once(() => ({ width: z.number(), height: z.number(), seconds: z.number() }))

/** The stored part of a request for a clip. */
export const storedVideo = once(() =>
  z.object({
    model: z.string(),
    prompt: z.string(),
    seed: z.string(),
    action: z.string(),
    quota: z.number(),
    tokens: z.optional(z.number()),
    ...clipSize(),
    framesPerSecond: z.number(),
    quality: z.enum(['full', 'fast']),
    caption: z.boolean(),
    audio: z.optional(z.enum(['silence', 'tone', 'ambience'])),
    /** The size and length of the clip, if they differ from the requested ones. */
    rendered: z.optional(z.object(clipSize())),
    /** The first image has fields of its own. */
    ...storedImage(),
    moreImages: z.optional(z.array(z.object(storedImage()))),
    /** The id of the original video of a remix. */
    remixedFrom: z.optional(z.string()),
    /** The media of a rule. */
    made: z.optional(z.custom<MadeMedia>(isObject)),
  }),
)
type StoredVideo = z.output<ReturnType<typeof storedVideo>>
type StoredImage = Pick<StoredVideo, keyof ReturnType<typeof storedImage>>

/** The request of a task whose result is a clip. */
export function videoRequest(task: Task): StoredVideo {
  return requestOf(task) as unknown as StoredVideo
}

/**
 * Creates the record of an accepted request. It makes all random draws, keyed by the identity of the request.
 *
 * @assumed §2.1 the length of a task id is undocumented; wire §3.1: 32 alphanumerics.
 * @param facts.quota the cost in the gateway's units; `tokens` is the number of billed tokens; `remixedFrom` is the id of
 * the original video, for a remix.
 */
export function recordJob(
  x: Exchange,
  request: ReadJob,
  { use, tasks, findDrawing }: Core,
  facts: { quota: number; tokens: number; remixedFrom: string | undefined },
  form: TaskForm,
): TaskRecord<StoredVideo> {
  const { draws, decision } = x
  const { begins, once: identity = x.identity } = form.course
  const taskId = newTaskId(x, identity, (occurrence) => jobId(x, form, identity, occurrence))
  const { occurrence } = taskId
  const { model, directed, seed, action, seconds, size, rendered } = request
  const isRendered =
    rendered.seconds === seconds && rendered.width === size.width && rendered.height === size.height
  const settings = use(jobSettings)
  const lifecycle = tasks.lifecycle(form.lifecycle)
  const shape = shapeOf(x, { ...form.course, model, directed: directed.shape }, settings.timing)
  const draw = drawsOf(draws, form.draws, taskId, identity)
  return newRecord(x, taskId, {
    identity,
    lifecycle: lifecycle.name,
    draws: form.draws,
    plan: planTask(lifecycle, shape, draw, begins),
    request: {
      model,
      prompt: directed.prompt,
      seed: seed ?? draws.seed,
      action,
      seconds,
      quota: facts.quota,
      tokens: facts.tokens,
      width: size.width,
      height: size.height,
      framesPerSecond: settings.framesPerSecond[settings.quality],
      quality: settings.quality,
      caption: settings.caption,
      ...(request.audio !== 'none' && { audio: request.audio }),
      ...(!isRendered && { rendered: { ...rendered } }),
      ...imageFields(request.images, (url) => findDrawing(url, x)),
      ...(facts.remixedFrom !== undefined && { remixedFrom: facts.remixedFrom }),
      ...(decision.media !== undefined && { made: { ...readMediaShape(decision.media) } }),
      ...form.fields(() => draws.integer(2 ** 32, `${form.draws}.seed`, identity, occurrence)),
    },
  })
}

/** An image of a request, as tasks store it. */
export type GivenImage = Pick<Photo, 'digest' | 'url' | 'drawing'>

/** The fields of the images. The first image has fields of its own. */
function imageFields(
  [first, ...more]: readonly GivenImage[],
  find: DrawingSource,
): StoredImage & Pick<StoredVideo, 'moreImages'> {
  if (first === undefined) return {}
  const moreImages = more.map((image) => imageField(image, find))
  return { ...imageField(first, find), ...(moreImages.length > 0 && { moreImages }) }
}

type DrawingSource = (url: string) => Drawing | undefined

function imageField(image: GivenImage, find: DrawingSource): StoredImage {
  const { digest, url } = image
  const drawing = image.drawing ?? (digest === undefined ? find(url!) : undefined)
  return {
    ...(digest === undefined ? { imageUrl: url! } : { imageDigest: digest }),
    ...(drawing && { imageDrawing: drawing }),
  }
}

/**
 * The media of a task: its clip, or the media of a rule.
 * @param shape the media of a rule for this response. It overrides that of a rule for the submission.
 */
export function mediaOfTask(task: Task, shape: MediaShape = {}): ClipSpec | FileSpec {
  const made = { ...videoRequest(task).made, ...readMediaShape(shape) }
  if (made.file !== undefined) return { kind: 'file', path: made.file }
  return { ...requestedClip(task), ...sizeAndLength(made) }
}

/** The clip that the request of a task describes. */
export function requestedClip(task: Task): ClipSpec {
  const request = videoRequest(task)
  const [image, ...moreImages] = imagesOf(request).map(toClipImage)
  const { prompt, model, seed, width, height, seconds, framesPerSecond, quality, caption, audio } = request
  return {
    kind: 'clip',
    prompt,
    model,
    seed,
    taskId: task.record.id,
    width,
    height,
    seconds,
    framesPerSecond,
    quality,
    caption,
    ...(audio && { audio }),
    ...(image && { image }),
    ...(moreImages.length > 0 && { moreImages }),
    ...request.rendered,
  }
}

/** Makes an id. It includes a hash of the namespace, so that namespaces never share one. It begins with the tag of the shard. */
export function jobId(
  { namespace, draws }: Exchange,
  { id: { prefix, length, of, format = (drawn) => drawn }, draws: purpose }: Pick<TaskForm, 'id' | 'draws'>,
  identity: string,
  occurrence: number,
): string {
  const drawn = draws.text(of, length, `${purpose}.id`, `${namespace.name}/${identity}`, occurrence)
  return prefix + format(`${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`)
}

/** The images of a task's request. */
export function imagesOf(request: StoredVideo): GivenImage[] {
  return [request, ...(request.moreImages ?? [])].flatMap(
    ({ imageDigest, imageUrl, imageDrawing }): GivenImage[] => {
      const drawing = imageDrawing && { drawing: imageDrawing }
      if (imageDigest !== undefined) return [{ digest: imageDigest, ...drawing }]
      return imageUrl === undefined ? [] : [{ url: imageUrl, ...drawing }]
    },
  )
}

function toClipImage({ drawing, digest, url }: GivenImage): ClipImage {
  if (drawing) return { picture: { kind: 'picture', drawing } }
  return digest === undefined ? { url: url! } : { digest }
}
