import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { may } from '../../../scenario/schema/fields.ts'
import { defineForm } from '../../define/form.ts'
import { drawingFacts } from '../lifecycle.ts'
import type { TaskView } from '../../../engine/tasks/timeline.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { GatewayError } from '../../../gateway/replies/errors.ts'
import { cachedForADay } from '../../../gateway/replies/headers.ts'
import { mediaReply, type Headers, type Reply } from '../../../gateway/replies/reply.ts'
import type { MediaSpec, PictureSpec } from '../../../media/spec.ts'
import { defineOperation } from '../../define/operation.ts'
import type { OperationDetails } from '../../define/operation-schema.ts'
import { digestOfUpload } from '../images.ts'
import { hasImage } from '../record.ts'
import { drawingRequest, mediaFor } from '../result.ts'

/** Values that are no lengths are ignored. */
const side = once(() =>
  may(
    z.catch(z.optional(z.number().check(z.positive())), undefined),
    'The longest side of a thumbnail, in pixels.',
    256,
  ),
)

const imageDetails: OperationDetails = {
  answer: {
    bytes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
    others: { '304': 'Not modified.' },
  },
}

/** The size of a thumbnail, in the syntax of image networks: `?width=256`. */
const form = defineForm(() => z.object({ width: side(), height: side() }), unknownImage, { isQuery: true })

/**
 * The image of a task, finished or in progress.
 * @assumed §2.5 the response of the URL is undocumented; wire §7.5.
 */
export const mjImage = defineOperation(
  {
    name: 'mj.image',
    summary: 'Download an image',
    ...drawingFacts('download', 'GET HEAD /mj/image/{id}'),
    task: 'id',
    access: 'public',
    hasPreviews: true,
    form,
    schema: () => imageDetails,
  },
  () => ({
    task: { unknown: unknownImage },
    parse: (_x, { width = 0, height = 0 }) => Math.max(width, height),
    respond: (x, longestSide) => {
      const task = x.task!
      const request = drawingRequest(task)
      const view = x.sentView
      if (!request.drawing || !hasImage(task, request, view)) throw unknownImage()
      if (view.final && isExpired(x, view)) throw expiredImage()
      const spec: PictureSpec = {
        kind: 'picture',
        drawing: request.drawing,
        taskId: task.record.id,
        ...(!view.final && { progress: view.progress }),
        ...(longestSide > 0 && { maxSide: Math.min(2048, Math.max(16, Math.round(longestSide))) }),
      }
      const media = view.final ? mediaFor(task, spec, x.decision.media) : spec
      return imageReply(x, media, view.final ? cachedForADay : { 'Cache-Control': 'no-store' })
    },
  }),
)

const expired = 'This link has expired'

function isExpired(x: Exchange, { finishedAt }: TaskView): boolean {
  return x.core.links.isExpired(x, x.task!, finishedAt)
}

/** @assumed §2.5 the response for an expired image is undocumented; in the form of wire §7.5. */
function expiredImage(): GatewayError {
  return new GatewayError(403, expired, () => ({ error: expired }))
}

/**
 * An uploaded image.
 * @assumed §2.4 the URL of uploads is undocumented; wire §7.5.
 */
export const mjUploaded = defineOperation(
  {
    name: 'mj.uploaded',
    summary: 'Download a stored image',
    role: 'read',
    tasks: 'drawing',
    route: 'GET HEAD /mj/uploaded/{file}',
    access: 'public',
    schema: () => imageDetails,
  },
  () => {
    // The bytes come from a client, so no browser may guess another media type.
    const headers = { ...cachedForADay, 'X-Content-Type-Options': 'nosniff' }
    const failed = { status: 400, error: 'midjourney_task_not_found' }

    return {
      parse: ({ params }) => {
        const digest = digestOfUpload(params['file']!)
        if (digest === undefined) throw unknownImage()
        return digest
      },
      respond: (x, digest) => imageReply(x, { kind: 'received', digest }, headers, failed),
    }
  },
)

/** @assumed §2.5 headers except the media type are undocumented; as for videos, wire §5. */
function imageReply(
  { request }: Exchange,
  media: MediaSpec,
  headers: Headers,
  { status, error } = { status: 500, error: 'http_get_image_failed' },
): Reply {
  return mediaReply(media, request, { headers, failed: { status, body: JSON.stringify({ error }) } })
}

/** @assumed §7 the answer to an unknown image is undocumented; wire §7.5. */
function unknownImage(): GatewayError {
  return new GatewayError(400, 'midjourney_task_not_found', () => ({ error: 'midjourney_task_not_found' }))
}
