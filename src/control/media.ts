import * as z from 'zod/mini'
import type { Task } from '../engine/tasks/tasks.ts'
import type { MediaSpec } from '../media/spec.ts'
import { may } from '../scenario/schema/fields.ts'
import type { ControlCore } from './core.ts'
import { clockOf } from '../gateway/core.ts'
import { count, ControlError, MediaAnswer, routesFor, type ControlRoute } from './route.ts'
import { findTask } from './tasks.ts'

const defaultPosterWidth = 320
const maxPosterWidth = 1_280

/** The results of tasks, for viewing. Calls here are not in the journal, the verdict or the usage. */
export class MediaControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  /**
   * The video or image of a task. Of several videos, the first.
   * @throws {ControlError} 409 before the task has ended, 404 if it has no media.
   */
  media(namespace: string, id: string): MediaSpec {
    const task = this.#finished(namespace, id)
    const media = this.#core.kindOf(task).mediaOf(task)
    if (!media) throw nothing(id, 'image')
    return media
  }

  /**
   * A small picture of the result.
   * @param side the longer side, in pixels.
   * @throws {ControlError} as {@link media} does, and 404 if a rule serves a video file instead.
   */
  poster(namespace: string, id: string, side = defaultPosterWidth): MediaSpec {
    const maxSide = Math.min(maxPosterWidth, Math.max(16, side))
    const task = this.#finished(namespace, id)
    const media = this.#core.kindOf(task).posterOf(task)
    if (!media) throw nothing(id, 'image')
    if (media.kind === 'clip') return { kind: 'still', clip: media, variant: 'thumbnail', maxSide }
    if (media.kind === 'picture') return { ...media, maxSide }
    if (media.kind === 'file' && /\.(?:mp4|webm|mov)$/i.test(media.path)) throw nothing(id, 'picture')
    return media
  }

  #finished(namespace: string, id: string): Task {
    const { tasks } = this.#core
    const now = clockOf(this.#core, namespace).now()
    const task = findTask(tasks, namespace, id)
    const { state, final } = tasks.view(task, now)
    if (!final)
      throw new ControlError(409, `Task ${id} is ${state}: what it makes can be seen when it has ended.`)
    if (state !== task.lifecycle.roles.success)
      throw new ControlError(404, `Task ${id} ended as ${state}, without a result.`)
    return task
  }
}

function nothing(id: string, what: string): ControlError {
  return new ControlError(404, `Task ${id} has no ${what}.`)
}

const route = routesFor<MediaControl>()
const bytes = ['video/mp4', 'video/webm', 'image/png', 'image/jpeg', 'image/webp']

export const mediaRoutes: readonly ControlRoute<MediaControl>[] = [
  route(
    'GET /tasks/{id}/media',
    'the video or image of a task that has ended; this is no download',
    () => ({ answer: { bytes } }),
    (media, { namespace, params }) => new MediaAnswer(media.media(namespace, params['id']!)),
  ),
  route(
    'GET /tasks/{id}/poster',
    'a small picture of it; ?w= pixels of its longer side',
    () => ({
      query: z.object({ w: may(count, 'Pixels of its longer side. Default 320.') }),
      answer: { bytes },
    }),
    (media, { namespace, params, query }) => new MediaAnswer(media.poster(namespace, params['id']!, query.w)),
  ),
]
