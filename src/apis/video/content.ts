import { contentError } from '../../gateway/replies/errors.ts'
import { keptForADay } from '../../gateway/replies/headers.ts'
import type { Quirks } from '../../gateway/quirks.ts'
import { mediaReply, type Reply } from '../../gateway/replies/reply.ts'
import type { Context, Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { mediaOfTask } from './task.ts'
import { inGatewaysWords } from './words.ts'

/** How long a signed link works, on the virtual clock. */
const linkLastsSeconds = 15 * 60

/**
 * The download (§4.3).
 *
 * @param quirks `contentDelivery`, `contentRange` and `contentAuth` change it.
 */
export function contentRoute(quirks: Quirks): Route {
  return defineOperation('video.content', {
    task: {
      /** @assumed §7 the answer to an unknown task is not shown; wire §5. */
      unknown: () => contentError(404, 'Task not found', 'invalid_request_error'),
    },
    opensWithoutKey: (query) => quirks.contentAuth === 'optional' || isSigned(query),
    respond: (_checked, context) => {
      const task = context.task!
      const plain = context.tasks.view(task, context.viewedAt)
      const { state } =
        quirks.videoStatusStyle === 'seed' ? plain : inGatewaysWords(task, plain, context.viewedAt)
      const link = readLink(context.request.query)
      if (link) checkLink(link, task, context)
      if (state !== task.lifecycle.roles.success) {
        const message = `Task is not completed yet, current status: ${state}`
        throw contentError(400, message, 'invalid_request_error')
      }
      if (quirks.contentDelivery === 'redirect' && !link) return redirectReply(task, context)
      return filmReply(task, context, quirks)
    },
  })
}

const failed = {
  status: 502,
  body: JSON.stringify({ error: { message: 'Failed to fetch video content', type: 'server_error' } }),
}

/** @assumed §4.3 headers beside the media type are not shown; wire §5. */
function filmReply(
  task: Task,
  { request: { incoming }, decision }: Context,
  { contentRange }: Quirks,
): Reply {
  const headers = {
    ...keptForADay,
    'Content-Disposition': `inline; filename="${task.record.id}.mp4"`,
  }
  const takesRanges = contentRange === 'on'
  return mediaReply(mediaOfTask(task, decision.media), incoming, { headers, failed, takesRanges })
}

/**
 * Sends the client to a link of its own: signed, expiring, and without a key, since browsers and curl drop
 * `Authorization` on the way to another origin.
 *
 * @assumed §4.3 only "follows redirects" is said of it; wire §5.
 */
function redirectReply(task: Task, { now, origin, draws }: Context): Reply {
  const { id } = task.record
  const expires = Math.floor(now / 1000) + linkLastsSeconds
  const query = `expires=${expires}&signature=${signatureOf(draws, id, expires)}`
  const location = `${origin}/v1/videos/${id}/content?${query}`
  return { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' }, body: null, delayMs: 0 }
}

interface Link {
  readonly expires: number
  readonly signature: string
}

function readLink(query: string): Link | undefined {
  if (!isSigned(query)) return undefined
  const fields = new URLSearchParams(query)
  return { expires: Number(fields.get('expires')), signature: fields.get('signature') ?? '' }
}

function isSigned(query: string): boolean {
  return /(?:^|&)signature=/.test(query)
}

function checkLink({ expires, signature }: Link, { record }: Task, { draws, now }: Context): void {
  if (signature !== signatureOf(draws, record.id, expires)) {
    throw contentError(403, 'The signature of this link is not valid', 'invalid_request_error')
  }
  if (now / 1000 >= expires) throw contentError(403, 'This link has expired', 'invalid_request_error')
}

/** Keeps honest clients to the link they were given; it guards nothing but a simulation. */
function signatureOf(draws: Draws, id: string, expires: number): string {
  return draws.text('0123456789abcdef', 32, 'video.link', id, expires)
}
