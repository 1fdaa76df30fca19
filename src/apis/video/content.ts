import { toUnixSeconds } from '../../engine/clock/duration.ts'
import * as z from 'zod/mini'
import { truncate } from '../../engine/wording.ts'
import type { MediaSpec, StillSpec } from '../../media/spec.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { contentError } from '../../gateway/replies/errors.ts'
import { cachedForADay } from '../../gateway/replies/headers.ts'
import { mediaReply, type Reply } from '../../gateway/replies/reply.ts'
import { constrain, integer, type OperationDetails } from '../define/operation-schema.ts'
import { may } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { defineOperation } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { viewOf } from './poll.ts'
import { mediaOfTask } from './task.ts'

const expired = 'This link has expired'

/** How long a signed link is valid, on the virtual clock. */
const linkLifetimeSeconds = 15 * 60

const failed = {
  status: 502,
  body: JSON.stringify({ error: { message: 'Failed to fetch video content', type: 'server_error' } }),
}

type Variant = 'video' | StillSpec['variant']

const extensions: Readonly<Record<Variant, string>> = { video: 'mp4', thumbnail: 'webp', spritesheet: 'png' }

/** Only the quirk `contentVariants` decides whether an unknown variant is refused. */
const form = defineForm(
  () =>
    z.object({
      variant: may(constrain(z.string(), { enum: Object.keys(extensions) }), 'Default video.'),
      expires: may(z.catch(z.optional(integer), undefined), 'Of a signed link.'),
      signature: may(z.string(), 'Of a signed link, which needs no key.'),
    }),
  () => contentError(400, 'The query is not valid'),
  { isQuery: true },
)

/** Downloads a video (§4.3). */
export const videoContent = defineOperation(
  {
    name: 'video.content',
    summary: 'Download a video',
    role: 'download',
    tasks: 'video',
    route: 'GET HEAD /v1/videos/{task_id}/content',
    task: 'task_id',
    access: 'signed',
    form,
    schema: describeDownload,
  },
  ({ quirks }: Core) => ({
    /** @assumed §7 the answer to an unknown task is undocumented; wire §5. */
    task: { unknown: () => contentError(404, 'Task not found') },
    opensWithoutKey: (query) => quirks.contentAuth === 'optional' || isSigned(query),
    parse: (_x, { variant, ...link }) => ({
      link,
      variant: quirks.contentVariants === 'on' ? checkVariant(variant) : 'video',
    }),
    respond: (x, { variant, link }) => {
      const task = x.task!
      const { state, finishedAt } = viewOf(x, quirks)
      const hasLink = isSigned(x.query)
      if (hasLink) checkLink(link, x, task)
      if (state !== task.lifecycle.roles.success) {
        const message = `Task is not completed yet, current status: ${state}`
        throw contentError(400, message)
      }
      if (!hasLink && x.core.links.isExpired(x, task, finishedAt)) throw contentError(403, expired)
      if (quirks.contentDelivery === 'redirect' && !hasLink) return redirectReply(x, task, variant)
      /** @assumed §4.3 headers except the media type are undocumented; wire §5. */
      const file = `${task.record.id}.${extensions[variant]}`
      const headers = { ...cachedForADay, 'Content-Disposition': `inline; filename="${file}"` }
      const takesRanges = quirks.contentRange === 'on'
      const media = mediaOfTask(task, x.decision.media)
      // A file of a rule is sent unchanged.
      const spec: MediaSpec =
        variant === 'video' || media.kind === 'file' ? media : { kind: 'still', clip: media, variant }
      return mediaReply(spec, x.request, { headers, failed, takesRanges })
    },
  }),
)

/** @assumed §4.3 variants are undocumented; wire §5: those of the Videos API, which `contentVariants: off` ignores. */
function checkVariant(variant = 'video'): Variant {
  if (Object.hasOwn(extensions, variant)) return variant as Variant
  const message = `variant is "${truncate(variant, 60)}". Use ${Object.keys(extensions).join(', ')}.`
  throw contentError(400, message)
}

/**
 * Redirects the client to a signed link that expires and needs no key, because browsers and curl drop `Authorization` when
 * they are redirected to another origin.
 *
 * @assumed §4.3 redirects are only mentioned; wire §5.
 */
function redirectReply({ now, origin, draws }: Exchange, { record: { id } }: Task, variant: Variant): Reply {
  const expires = toUnixSeconds(now) + linkLifetimeSeconds
  const query = `expires=${expires}&signature=${signatureOf(draws, id, expires)}`
  const which = variant === 'video' ? '' : `variant=${variant}&`
  const location = `${origin}/v1/videos/${id}/content?${which}${query}`
  return { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' }, body: null, delayMs: 0 }
}

function isSigned(query: string): boolean {
  return /(?:^|&)signature=/.test(query)
}

interface Link {
  readonly expires?: number | undefined
  readonly signature?: string | undefined
}

function checkLink({ expires = 0, signature }: Link, { draws, now }: Exchange, { record }: Task): void {
  if (signature !== signatureOf(draws, record.id, expires)) {
    throw contentError(403, 'The signature of this link is not valid')
  }
  if (now / 1000 >= expires) throw contentError(403, expired)
}

/** Signs a link. This is no protection; it only ensures that clients use the link unchanged. */
function signatureOf(draws: Draws, id: string, expires: number): string {
  return draws.text('0123456789abcdef', 32, 'video.link', id, expires)
}

function describeDownload(): OperationDetails {
  return {
    headers: z.object({
      Range: may(z.string(), 'A part of the bytes.', 'bytes=0-99'),
      'If-None-Match': may(z.string(), 'The ETag of the bytes that the client has.'),
    }),
    answer: {
      bytes: ['video/mp4', 'video/webm', 'image/webp', 'image/png'],
      others: {
        '206': 'A part of the bytes.',
        '302': 'A signed link, if the quirk `contentDelivery` is `redirect`.',
        '304': 'Not modified.',
      },
    },
  }
}
