import type { Exchange } from '../../../gateway/exchange.ts'
import type { PictureSpec } from '../../../media/spec.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { paint } from '../../painting/painting.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import type { JobMedium, StoredFile } from '../job/stored-job.ts'
import type { StoredJob } from '../job/stored-job.ts'
import type { ReadJob } from '../job/record.ts'
import type { FileFormat, FileRequest, JobRequest } from '../kit/call.ts'

type Asking = Exchange & { readonly prepared: readonly RequestPhoto[] }

/** What records have besides that of a clip: the input that replies repeat, and the files of a job that makes more than a video. */
export function filesToStore(
  x: Asking,
  job: JobRequest,
  request: ReadJob,
  usual: JobMedium = 'video',
): Pick<StoredJob, 'input' | 'pictures' | 'files' | 'poster'> {
  const { input } = job
  const stored: unknown = input === undefined ? undefined : JSON.parse(JSON.stringify(input))
  return {
    ...(stored !== undefined && { input: stored }),
    ...filesFields(x, requestedFiles(job, usual), request),
  }
}

function requestedFiles(
  { makes, count = 1, format, text, files }: JobRequest,
  usual: JobMedium,
): readonly FileRequest[] {
  return files ?? Array.from({ length: count }, () => ({ makes: makes ?? usual, format, text }))
}

function filesFields(
  x: Asking,
  wanted: readonly FileRequest[],
  request: ReadJob,
): Pick<StoredJob, 'pictures' | 'files' | 'poster'> {
  const has = (...media: JobMedium[]): boolean => wanted.some(({ makes }) => media.includes(makes))
  if (wanted.length === 1 && has('video')) return {}
  let images = 0
  const files = wanted.map((each) =>
    toStored(each, request, () => paintOne(x, request, each.format, images++)),
  )
  if (!has('video', 'audio', 'text')) return { pictures: files as NonNullable<StoredJob['pictures']> }
  if (has('video', 'image')) return { files }
  return { files, poster: paintOne(x, request, undefined, 0) as PictureSpec }
}

function toStored(
  { makes, format, text = '', type = 'text/plain; charset=utf-8' }: FileRequest,
  { seconds }: ReadJob,
  draw: () => StoredFile,
): StoredFile {
  if (makes === 'image') return draw()
  if (makes === 'video') return { kind: 'video' }
  if (makes === 'text') return { kind: 'text', text, type }
  return { kind: 'audio', format: format === 'mp3' ? 'mp3' : 'wav', seconds }
}

/** The record names the file of a rule as `made`, as that of a video does. */
function paintOne(
  x: Asking,
  { directed, model, rendered: { width, height } }: ReadJob,
  format: FileFormat | undefined,
  index: number,
): PictureSpec {
  const file = format === 'jpeg' || format === 'webp' ? ({ format, quality: 90 } as const) : undefined
  const photos = x.prepared.filter((image): image is Photo => !('refused' in image))
  const painting = { prompt: directed.prompt, model, photos, size: { width, height }, file }
  const { file: _file, ...media } = x.decision.media ?? {}
  const unfiled = Object.create(x, { decision: { value: { ...x.decision, media } } }) as Exchange
  return paint(painting, index, unfiled) as PictureSpec
}
