import { alphanumerics } from '../../engine/random/draws.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import { planTask, type TaskShape } from '../../engine/tasks/plan-task.ts'
import type { RequestField, TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { Context } from '../../gateway/route.ts'
import type { ClipSpec, FileSpec, Quality } from '../../media/spec.ts'
import { readMediaShape, sizeAndLength, type MadeMedia } from '../../scenario/media-shape.ts'
import type { MediaShape } from '../../scenario/rules/rule.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { drawingShownAt } from '../drawing/shown-at.ts'
import { paceOf } from './pace.ts'
import type { GivenImage, VideoRequest } from './request.ts'
import type { VideoSettings } from './settings.ts'

/**
 * Makes the record of an accepted request. Everything that is left to chance is drawn here, keyed by what was
 * asked for, and frozen.
 *
 * @assumed §2.1 the length of a task id is not shown; wire §3.1: 32 alphanumerics.
 * @param quota what it costs, in the gateway's units.
 * @param remixedFrom the id of the video that it is a remix of.
 */
export function recordVideo(
  request: VideoRequest,
  context: Context,
  lifecycle: Lifecycle,
  settings: VideoSettings,
  quota: number,
  remixedFrom?: string,
): TaskRecord {
  const { namespace, draws, decision, now, bodyToKeep } = context
  const { identity } = context.request
  const { id, occurrence } = newId(context)
  const { unavailable } = request
  const bound: TaskShape = unavailable === undefined ? {} : { outcome: 'failure', reason: unavailable }
  const pace = paceOf(settings.timing, request.model)
  const shape: TaskShape = Object.assign({}, pace, request.magic.shape, bound, decision.task)
  const plan = planTask(lifecycle, shape, (purpose) => draws.unit(`video.${purpose}`, identity, occurrence))
  return {
    id,
    row: 1 + draws.integer(2 ** 31 - 1, 'video.row', id, 0),
    namespace: namespace.name,
    operation: context.journal.operation!,
    lifecycle: lifecycle.name,
    identity,
    occurrence,
    submittedAt: now,
    plan,
    request: fieldsOf(request, context, settings, quota, remixedFrom),
    nth: context.tasks.nextNth(namespace.name, lifecycle.name),
    ...(bodyToKeep && { body: bodyToKeep }),
  }
}

/** What is remembered of a request. Each accepted one passes here, and objects are slow to spread. */
function fieldsOf(
  { model, magic, seed, action, seconds, size, image }: VideoRequest,
  context: Context,
  settings: VideoSettings,
  quota: number,
  remixedFrom: string | undefined,
): TaskRecord['request'] {
  const { draws, decision } = context
  const fields: Record<string, RequestField> = {
    model,
    prompt: magic.prompt,
    seed: seed ?? draws.seed,
    action,
    seconds,
    quota,
    width: size.width,
    height: size.height,
    framesPerSecond: settings.framesPerSecond[settings.quality],
    quality: settings.quality,
    caption: settings.caption,
  }
  if (image !== null && 'digest' in image) fields['imageDigest'] = image.digest
  else if (image !== null) {
    fields['imageUrl'] = image.url
    const drawing = image.drawing ?? drawingShownAt(image.url, context)
    if (drawing) fields['imageDrawing'] = drawing as unknown as RequestField
  }
  if (remixedFrom !== undefined) fields['remixedFrom'] = remixedFrom
  if (decision.media !== undefined) fields['made'] = { ...readMediaShape(decision.media) }
  return fields
}

/**
 * What is sent for a task: its clip, or what a rule wants in its place.
 * @param shape what a rule says of this answer; it counts before what one said when the task was submitted.
 */
export function mediaOfTask(task: Task, shape: MediaShape = {}): ClipSpec | FileSpec {
  const made = { ...madeOf(task), ...readMediaShape(shape) }
  if (made.file !== undefined) return { kind: 'file', path: made.file }
  return { ...askedClip(task), ...sizeAndLength(made) }
}

/** The clips that must be made for a task: none where a file is sent. */
export function clipsToMake(task: Task): ClipSpec[] {
  const media = mediaOfTask(task)
  return media.kind === 'clip' ? [media] : []
}

function madeOf({ record }: Task): MadeMedia {
  return (record.request['made'] ?? {}) as MadeMedia
}

/** The clip of a task as it was asked for; derived from the record alone. */
export function askedClip({ record }: Task): ClipSpec {
  const { request } = record
  const image = imageOf(request)
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
    ...(image ? { image: shownOf(image) } : {}),
  }
}

/** Ids hash the namespace in, so that two namespaces never share one. A shard's tag takes the place of what they begin with. */
function newId({ namespace, draws, tasks, request }: Context): { id: string; occurrence: number } {
  const subject = `${namespace.name}/${request.identity}`
  for (;;) {
    const occurrence = namespace.acceptances.next(request.identity)
    const drawn = draws.text(alphanumerics, 32, 'video.id', subject, occurrence)
    const id = `task_${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`
    if (!tasks.find(id)) return { id, occurrence }
  }
}

/** The picture that a task was given. */
export function imageOf(request: TaskRecord['request']): GivenImage | null {
  const { imageDigest, imageUrl, imageDrawing } = request
  if (typeof imageDigest === 'string') return { digest: imageDigest }
  if (typeof imageUrl !== 'string') return null
  return { url: imageUrl, ...(imageDrawing !== undefined && { drawing: imageDrawing as unknown as Drawing }) }
}

function shownOf({ drawing, ...image }: GivenImage): NonNullable<ClipSpec['image']> {
  return drawing ? { picture: { kind: 'picture', drawing } } : image
}
