import { videoSettings } from './settings.ts'
import { alphanumerics } from '../../engine/random/draws.ts'
import { planTask } from '../../engine/tasks/plan-task.ts'
import type { RequestField, TaskRecord } from '../../engine/tasks/plan.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { ClipImage, ClipSpec, FileSpec, Quality, Sound } from '../../media/spec.ts'
import { readMediaShape, sizeAndLength, type MadeMedia } from '../../scenario/media-shape.ts'
import type { MediaShape } from '../../scenario/vocabulary/types.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { findDrawing } from '../drawing/images.ts'
import type { ApiDeps } from '../define/operation.ts'
import type { GivenImage } from './image.ts'
import { paceOf, videoLifecycle } from './lifecycle.ts'
import type { RenderedVideo, VideoRequest } from './request.ts'

/** All fields that the request of a video task may have. */
export const videoFieldNames = [
  'model',
  'prompt',
  'seed',
  'action',
  'seconds',
  'quota',
  'tokens',
  'width',
  'height',
  'framesPerSecond',
  'quality',
  'caption',
  'audio',
  'rendered',
  'imageDigest',
  'imageUrl',
  'imageDrawing',
  'moreImages',
  'remixedFrom',
  'made',
] as const
type VideoFields = { readonly [Name in (typeof videoFieldNames)[number]]?: RequestField }

/**
 * Creates the record of an accepted request. It makes all random draws, keyed by the identity of the request.
 *
 * @assumed §2.1 the length of a task id is undocumented; wire §3.1: 32 alphanumerics.
 * @param facts.quota the cost in the gateway's units; `tokens` is the number of billed tokens; `remixedFrom` is the id of
 * the original video, for a remix.
 */
export function recordVideo(
  x: Exchange,
  request: VideoRequest,
  { use, lifecycleOf }: ApiDeps,
  facts: { quota: number; tokens: number; remixedFrom: string | undefined },
): TaskRecord {
  const { namespace, draws, decision, now, bodyToKeep, identity } = x
  const { id, occurrence } = newId(x)
  const { model, magic, seed, action, seconds, size, rendered, unavailable } = request
  const isRendered =
    rendered.seconds === seconds && rendered.width === size.width && rendered.height === size.height
  const settings = use(videoSettings)
  const lifecycle = lifecycleOf(videoLifecycle.name)
  const shape: TaskShape = {
    ...paceOf(settings.timing, model),
    ...magic.shape,
    ...(unavailable !== undefined && { outcome: 'failure', reason: unavailable }),
    ...decision.task,
  }
  const draw = (purpose: string): number => draws.unit(`video.${purpose}`, identity, occurrence)
  return {
    id,
    row: 1 + draws.integer(2 ** 31 - 1, 'video.row', id, 0),
    namespace: namespace.name,
    operation: x.entry.operation!,
    lifecycle: lifecycle.name,
    identity,
    occurrence,
    submittedAt: now,
    nth: x.tasks.nextNth(namespace.name, lifecycle.name),
    plan: planTask(lifecycle, shape, draw),
    request: {
      model,
      prompt: magic.prompt,
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
      ...imageFields(x, request.images),
      ...(facts.remixedFrom !== undefined && { remixedFrom: facts.remixedFrom }),
      ...(decision.media !== undefined && { made: { ...readMediaShape(decision.media) } }),
    } satisfies VideoFields,
    ...(bodyToKeep && { body: bodyToKeep }),
  }
}

/** The fields of the images. The first image has fields of its own. */
function imageFields(x: Exchange, [first, ...more]: readonly GivenImage[]): VideoFields {
  if (first === undefined) return {}
  const moreImages = more.map((image) => imageField(x, image))
  return { ...imageField(x, first), ...(moreImages.length > 0 && { moreImages }) }
}

function imageField(x: Exchange, image: GivenImage): Readonly<Record<string, RequestField>> {
  const drawing = image.drawing ?? ('url' in image ? findDrawing(image.url, x) : undefined)
  return {
    ...('digest' in image ? { imageDigest: image.digest } : { imageUrl: image.url }),
    ...(drawing && { imageDrawing: drawing as unknown as RequestField }),
  }
}

/**
 * The media of a task: its clip, or the media of a rule.
 * @param shape the media of a rule for this response. It overrides that of a rule for the submission.
 */
export function mediaOfTask(task: Task, shape: MediaShape = {}): ClipSpec | FileSpec {
  const made = { ...madeOf(task), ...readMediaShape(shape) }
  if (made.file !== undefined) return { kind: 'file', path: made.file }
  return { ...requestedClip(task), ...sizeAndLength(made) }
}

/** The clips to encode for a task; empty if a file is sent. */
export function clipsToMake(task: Task): ClipSpec[] {
  const media = mediaOfTask(task)
  return media.kind === 'clip' ? [media] : []
}

function madeOf({ record }: Task): MadeMedia {
  return (record.request['made'] ?? {}) as MadeMedia
}

/** The clip that the request of a task describes. */
export function requestedClip({ record }: Task): ClipSpec {
  const { request } = record
  const [image, ...moreImages] = imagesOf(request).map(toClipImage)
  return {
    kind: 'clip',
    prompt: String(request['prompt']),
    model: String(request['model']),
    seed: String(request['seed']),
    taskId: record.id,
    width: Number(request['width']),
    height: Number(request['height']),
    seconds: Number(request['seconds']),
    framesPerSecond: Number(request['framesPerSecond']),
    quality: request['quality'] as Quality,
    caption: request['caption'] === true,
    ...(request['audio'] !== undefined && { audio: request['audio'] as Sound }),
    ...(image && { image }),
    ...(moreImages.length > 0 && { moreImages }),
    ...(request['rendered'] as Partial<RenderedVideo> | undefined),
  }
}

/**
 * Makes an id. It includes a hash of the namespace, so that namespaces never share one. It begins with the tag of the
 * shard.
 */
function newId({ namespace, draws, tasks, identity }: Exchange): { id: string; occurrence: number } {
  const subject = `${namespace.name}/${identity}`
  for (;;) {
    const occurrence = namespace.acceptances.next(identity)
    const drawn = draws.text(alphanumerics, 32, 'video.id', subject, occurrence)
    const id = `task_${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`
    if (!tasks.find(id)) return { id, occurrence }
  }
}

/** The images of a task's request. */
export function imagesOf(request: TaskRecord['request']): GivenImage[] {
  const more = (request['moreImages'] ?? []) as readonly TaskRecord['request'][]
  return [request, ...more].flatMap(({ imageDigest, imageUrl, imageDrawing }): GivenImage[] => {
    const drawing = imageDrawing !== undefined && { drawing: imageDrawing as unknown as Drawing }
    if (typeof imageDigest === 'string') return [{ digest: imageDigest, ...drawing }]
    return typeof imageUrl === 'string' ? [{ url: imageUrl, ...drawing }] : []
  })
}

function toClipImage({ drawing, ...image }: GivenImage): ClipImage {
  return drawing ? { picture: { kind: 'picture', drawing } } : image
}
