import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { parseDuration, toUnixSeconds } from '../../../engine/clock/duration.ts'
import type { Draws } from '../../../engine/random/draws.ts'
import { truncate } from '../../../engine/wording.ts'
import type { Core } from '../../../gateway/core.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import { may } from '../../../scenario/schema/fields.ts'
import { defineForm, type Form } from '../../define/form.ts'
import type { Behaviour } from '../../define/operation.ts'
import type { OperationDetails } from '../../define/operation-schema.ts'
import { constrain, integer } from '../../../scenario/schema/json-values.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { DownloadOptions } from '../kit/operation.ts'
import { fileIndexOf } from '../job/aliases.ts'
import { filesOf, mediumOf } from '../job/stored-job.ts'
import { type JobMedium } from '../job/stored-job.ts'
import { Job } from '../job/job.ts'
import { jobRequest } from '../job/stored-job.ts'
import { Refused } from '../kit/refused.ts'
import { uploadReply } from './call.ts'
import { fileReply, withRefusals, type Refuse } from './replies.ts'
import { callOf, quirksIn } from '../request-call.ts'
import { linkMsOf, type ServedApi } from '../served.ts'

/** How long a signed link is valid, on the virtual clock. */
const linkLifetimeSeconds = 15 * 60

type Still = 'thumbnail' | 'spritesheet'
type Made = JobMedium | Still
const kinds: readonly string[] = ['video', 'thumbnail', 'spritesheet'] satisfies readonly Made[]

/** The query of a download that has stills or signed links; undefined for another. */
export function downloadForm({
  stills,
  redirects,
  sides = [],
}: DownloadOptions): Form<z.ZodMiniObject> | undefined {
  if (!stills && !redirects && sides.length === 0) return undefined
  const shape = (): Record<string, z.ZodMiniType> => ({
    // Whether an unknown still is refused depends on a quirk.
    ...(stills && { [stills.parameter]: may(constrain(z.string(), { enum: [...kinds] }), 'Default video.') }),
    ...Object.fromEntries(sides.map((name) => [name, side()])),
    ...(redirects && {
      expires: may(z.catch(z.optional(integer), undefined), 'Of a signed link.'),
      signature: may(z.string(), 'Of a signed link, which needs no key.'),
    }),
  })
  return defineForm(
    () => z.object(shape()),
    () => new Refused('The query is not valid'),
    { isQuery: true },
  )
}

interface DownloadQuery {
  readonly made: Made | undefined
  readonly expires: number
  readonly signature: string | undefined
  /** The longest side of an image. */
  readonly maxSide: number | undefined
}

/** Values that are no lengths are ignored. */
const side = once(() =>
  may(
    z.catch(z.optional(z.number().check(z.positive())), undefined),
    'The longest side of a thumbnail, in pixels.',
    256,
  ),
)

/** Thumbnails have sides within these bounds. */
const sideBounds = { min: 16, max: 2_048 }

function readSide(query: Readonly<Record<string, unknown>>, sides: readonly string[]): number | undefined {
  const longest = Math.max(0, ...sides.map((name) => (query[name] as number | undefined) ?? 0))
  if (longest === 0) return undefined
  return Math.min(sideBounds.max, Math.max(sideBounds.min, Math.round(longest)))
}

/** What a download does. */
export function downloadBehaviour(
  name: string,
  download: DownloadOptions,
  served: ServedApi,
  core: Core,
  refuse: Refuse,
): Behaviour<never, DownloadQuery> {
  const { stills, redirects, isOpen, headers, expires, failed, previews = false, sides = [] } = download
  const call = <Result>(part: string, run: () => Result): Result => callDefined(name, part, run)
  return {
    ...((redirects || isOpen) && {
      opensWithoutKey: (query) =>
        (redirects !== undefined && isSigned(query)) || isOpen?.({ quirks: quirksIn(core) }) === true,
    }),
    guard: (run) => withRefusals(refuse, run),
    parse: (_x, fields) => {
      const query = (fields ?? {}) as Readonly<Record<string, unknown>>
      return {
        made: stills && checkStill(stills.parameter, query[stills.parameter] as string | undefined),
        expires: (query['expires'] as number | undefined) ?? 0,
        signature: query['signature'] as string | undefined,
        maxSide: readSide(query, sides),
      }
    },
    respond: (x, query) => {
      // A request that names an uploaded file goes on without a job.
      if (!x.task) return uploadReply(name, download, served, x)
      const { task } = x
      const job = new Job(x, task, served)
      const hasLink = redirects !== undefined && isSigned(x.query)
      if (hasLink) checkLink(query, x, job.id, refuse)
      const isPreview = previews && job.hasPreview
      if (!job.hasSucceeded && !isPreview)
        throw refuse('noResult', { usual: 'There is no file: the job is {status}', state: job.status })
      const isPast = !isPreview && expires !== undefined && x.now >= job.endedAt! + parseDuration(expires)
      const isExpired =
        isPast || (!isPreview && x.core.links.isExpired(x, task, job.endedAt!, linkMsOf(download)))
      if (!hasLink && isExpired) throw refuse('expired', { usual: 'The file has expired' })
      const index = indexOf(x, download, refuse)
      if (!hasLink && redirects?.(callOf(x)) === true) return redirectReply(x, job.id)
      const made = query.made ?? job.files[index]!.kind
      const still = made === 'thumbnail' || made === 'spritesheet' ? made : undefined
      const sent = headers && call('headers', () => headers(job, Object.assign(callOf(x), { made })))
      const { maxSide } = query
      const picture = {
        ...(isPreview && { progress: job.progress }),
        ...(maxSide !== undefined && { maxSide }),
      }
      return fileReply(x, task, index, sent, { still, failed, picture })
    },
  }
}

/** The number of the file among all of the job. */
function indexOf({ params, task, namedAs }: Exchange, { makes }: DownloadOptions, refuse: Refuse): number {
  const index = Number(params['n'] ?? fileIndexOf(task!.record, namedAs))
  const fitting = filesOf(jobRequest(task!)).flatMap((file, place) =>
    makes === undefined || mediumOf(file) === makes ? [place] : [],
  )
  const found = fitting[index]
  if (found !== undefined) return found
  const what = makes === undefined ? 'file' : `file of ${makes}`
  throw refuse('noResult', { message: `There is no ${what} ${index}: the job has ${fitting.length}, from 0` })
}

/** @assumed §4.3 variants are undocumented; wire §5: those of the Videos API. */
function checkStill(parameter: string, still = 'video'): Made {
  if (kinds.includes(still)) return still as Made
  throw new Refused(`${parameter} is "${truncate(still, 60)}". Use ${kinds.join(', ')}.`)
}

/**
 * Redirects the client to a signed link that expires and needs no key, because browsers and curl drop `Authorization` when
 * they are redirected to another origin.
 *
 * @assumed §4.3 redirects are only mentioned; wire §5.
 */
function redirectReply({ now, origin, draws, path, query }: Exchange, id: string): Reply {
  const expires = toUnixSeconds(now) + linkLifetimeSeconds
  const fields = new URLSearchParams(query)
  for (const name of ['until', 'token']) fields.delete(name)
  fields.set('expires', String(expires))
  fields.set('signature', signatureOf(draws, id, expires))
  const headers = { Location: `${origin}${path}?${String(fields)}`, 'Cache-Control': 'no-store' }
  return { status: 302, headers, body: null, delayMs: 0 }
}

function isSigned(query: string): boolean {
  return /(?:^|&)signature=/.test(query)
}

function checkLink(
  { expires, signature }: DownloadQuery,
  { draws, now }: Exchange,
  id: string,
  refuse: Refuse,
): void {
  if (signature !== signatureOf(draws, id, expires))
    throw refuse('expired', { message: 'The signature of this link is not valid' })
  if (now / 1000 >= expires) throw refuse('expired', { usual: 'This link has expired' })
}

/** Signs a link. This is no protection; it only ensures that clients use the link unchanged. */
function signatureOf(draws: Draws, id: string, expires: number): string {
  return draws.text('0123456789abcdef', 32, 'video.link', id, expires)
}

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** A download for the OpenAPI document. */
export function describeDownload({ makes, stills, redirects, previews }: DownloadOptions): OperationDetails {
  if (previews) return { answer: { bytes: imageTypes, others: { '304': 'Not modified.' } } }
  const isRich = stills !== undefined || redirects !== undefined
  const types =
    makes === 'image'
      ? ['image/png']
      : makes === 'audio'
        ? ['audio/wav', 'audio/mpeg']
        : ['video/mp4', ...(isRich ? ['video/webm'] : [])]
  if (!isRich) return { answer: { bytes: makes === undefined ? ['video/mp4', 'image/png'] : types } }
  return {
    headers: z.object({
      Range: may(z.string(), 'A part of the bytes.', 'bytes=0-99'),
      'If-None-Match': may(z.string(), 'The ETag of the bytes that the client has.'),
    }),
    answer: {
      bytes: [...types, ...(stills ? ['image/webp', 'image/png'] : [])],
      others: {
        '206': 'A part of the bytes.',
        '302': 'A signed link, if the quirk `contentDelivery` is `redirect`.',
        '304': 'Not modified.',
      },
    },
  }
}
