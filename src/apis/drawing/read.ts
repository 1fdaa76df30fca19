import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import { contentError, GatewayError } from '../../gateway/replies/errors.ts'
import { keptForADay } from '../../gateway/replies/headers.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { PollBodies } from '../../gateway/replies/poll-bodies.ts'
import { jsonReply, mediaReply, type Headers, type Reply } from '../../gateway/replies/reply.ts'
import type { Context, Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import type { MediaSpec, PictureSpec } from '../../media/spec.ts'
import { clipsOf } from './images/videos.ts'
import { sentFor } from './made.ts'
import { idOf } from './images/prompt.ts'
import { digestOfUploaded } from './images/uploaded-file.ts'
import { drawingRecord, hasPicture } from './record.ts'
import { drawingError, invalidDrawing } from './refusals.ts'
import type { DrawingSettings } from './settings.ts'
import { drawingRequest, isDrawing } from './shows.ts'
import { contentType } from './submit/submit-route.ts'

/** @assumed §4.5 the media type of fetches is not shown; wire §1.3: without a charset. */
const json = { 'Content-Type': 'application/json' }

/** One task (§4.5). */
export function fetchRoute(): Route {
  const written = (task: Task, view: TaskView, context: Context): string =>
    JSON.stringify(seen(task, view, context))
  const bodies = new PollBodies(written)
  return defineOperation('mj.fetch', {
    task: { unknown: unknownTask },
    respond: (_checked, context) => {
      const task = context.task!
      const view = context.tasks.view(task, context.viewedAt)
      context.journal.shown = view.state
      // A picture in progress has another address at each look.
      const isSteady = view.final || !hasPicture(task, drawingRequest(task), view)
      const body = isSteady ? bodies.of(task, view, context) : written(task, view, context)
      return { status: 200, headers: json, body, delayMs: 0 }
    },
  })
}

/**
 * Many tasks by id. Those that nobody knows are left out.
 * @assumed §4.5 it is not shown; wire §7.5.
 */
export function listRoute(): Route {
  return defineOperation('mj.list', {
    /** @assumed §7 the error for malformed JSON is not shown; wire §2.4. */
    malformed: () => drawingError(4, 'do_request_failed'),
    prepare: (body) => ({ prepared: undefined, fields: body }),
    validate: ({ body }) => readIds(body),
    respond: (ids, context) => {
      const { tasks, namespace } = context
      const found = ids.map((id) => tasks.find(id)).filter((task) => task !== undefined)
      const own = found.filter((task) => isDrawing(task) && task.record.namespace === namespace.name)
      const now = own.reduce((_, task) => context.look(task), context.now)
      return jsonReply(
        200,
        own.map((task) =>
          seen(task, tasks.view(task, now), { viewedAt: now, origin: context.origin, draws: context.draws }),
        ),
        json,
      )
    },
  })
}

/** More than anybody asks for at once. */
export const maxIds = 1_000

function readIds({ ids }: JsonObject): string[] {
  const listed = Array.isArray(ids) ? ids : []
  if (listed.length > maxIds) {
    throw drawingError(4, 'do_request_failed').withHint(
      `ids has ${listed.length} entries, at most ${maxIds}.`,
    )
  }
  return [...new Set(listed.map(idOf).filter((id) => id !== undefined))]
}

/**
 * The number that a picture is drawn from.
 * @assumed §4.5 it is not shown; wire §7.5.
 */
export function seedRoute(settings: DrawingSettings): Route {
  return defineOperation('mj.seed', {
    task: { unknown: unknownTask },
    respond: (_checked, context) => {
      const { tasks, now } = context
      const task = context.task!
      const { seed, drawing } = drawingRequest(task)
      const isDone = tasks.view(task, now).state === task.lifecycle.roles.success
      if (!isDone || !drawing)
        throw invalidDrawing('parentState', 'There is no picture yet.').withHeaders(contentType(settings))
      return jsonReply(
        200,
        { code: 1, description: '成功', properties: null, result: String(seed) },
        contentType(settings),
      )
    },
  })
}

/**
 * The picture of a task: finished, or in progress. Nobody looks at keys here.
 * @assumed §2.5 what the address answers is not shown; wire §7.5.
 */
export function imageRoute(): Route {
  return defineOperation('mj.image', {
    task: { unknown: unknownImage },
    validate: ({ query }) => maxSide(new URLSearchParams(query)),
    respond: (longest, context) => {
      const task = context.task!
      const request = drawingRequest(task)
      const view = context.tasks.view(task, context.viewedAt)
      if (!request.drawing || !hasPicture(task, request, view)) throw unknownImage()
      const spec: PictureSpec = {
        kind: 'picture',
        drawing: request.drawing,
        ...(view.final ? {} : { progress: view.progress }),
        ...(longest === undefined ? {} : { maxSide: longest }),
      }
      const sent = view.final ? sentFor(task, spec, context.decision.media) : spec
      return pictureReply(sent, context, view.final ? keptForADay : neverKept)
    },
  })
}

/** A thumbnail, as picture networks let clients ask for one: `?width=256`. */
function maxSide(query: URLSearchParams): number | undefined {
  const sides = ['width', 'height'].map((name) => Number(query.get(name) ?? NaN)).filter(Number.isFinite)
  return sides.length === 0 ? undefined : Math.min(2048, Math.max(16, Math.round(Math.max(...sides))))
}

/**
 * A film of a task. The real gateway hands out addresses of the service behind it; these stand for them.
 * @assumed §2.5 films are not shown; wire §7.5, `videoUrls`.
 */
export function filmRoute(): Route {
  return defineOperation('mj.film', {
    task: { unknown: unknownFilm },
    validate: ({ params }) => Number(/^(\d+)\.mp4$/.exec(params['file']!)?.[1] ?? 0),
    respond: (film, context) => {
      const task = context.task!
      const isDone = context.tasks.view(task, context.viewedAt).state === task.lifecycle.roles.success
      const clip = isDone ? clipsOf(task)[film - 1] : undefined
      if (!clip) throw unknownFilm()
      return pictureReply(sentFor(task, clip, context.decision.media), context, keptForADay)
    },
  })
}

/**
 * A picture that was uploaded.
 * @assumed §2.4 where uploads lie is not shown; wire §7.5.
 */
export function uploadedRoute(): Route {
  return defineOperation('mj.uploaded', {
    validate: ({ params }) => {
      const digest = digestOfUploaded(params['file']!)
      if (digest === undefined) throw unknownImage()
      return digest
    },
    respond: (digest, context) =>
      pictureReply({ kind: 'received', digest }, context, uploadedHeaders, {
        status: 400,
        error: 'midjourney_task_not_found',
      }),
  })
}

/** The bytes are a client's: no browser may guess another media type. */
const uploadedHeaders = { ...keptForADay, 'X-Content-Type-Options': 'nosniff' }

const neverKept = { 'Cache-Control': 'no-store' }

/** @assumed §2.5 headers beside the media type are not shown; as for films, wire §5. */
function pictureReply(
  media: MediaSpec,
  { request }: Context,
  headers: Headers,
  { status, error }: { status: number; error: string } = { status: 500, error: 'http_get_image_failed' },
): Reply {
  const failed = { status, body: JSON.stringify({ error }) }
  return mediaReply(media, request.incoming, { headers, failed })
}

function seen(
  task: Task,
  view: TaskView,
  { viewedAt, origin, draws }: Pick<Context, 'viewedAt' | 'origin' | 'draws'>,
): Record<string, unknown> {
  return drawingRecord(task, { view, now: viewedAt, origin, draws })
}

/** @assumed §7 the answer to an unknown task is not shown; wire §2.4 and §7.5 (the word is misspelt there, too). */
function unknownTask(): GatewayError {
  return drawingError(4, 'task_no_found')
}

/** @assumed §7 the answer to an unknown picture is not shown; wire §7.5. */
function unknownImage(): GatewayError {
  return new GatewayError(400, 'midjourney_task_not_found', () => ({ error: 'midjourney_task_not_found' }))
}

function unknownFilm(): GatewayError {
  return contentError(404, 'Film not found', 'invalid_request_error')
}
