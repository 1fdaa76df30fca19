import type { AudioFormat, AudioSpec, BytesSpec, ClipSpec, FileSpec, MediaSpec } from '../../../media/spec.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { readMediaShape, type MadeMedia } from '../../../scenario/rules/rule.ts'
import type { MediaShape } from '../../../scenario/vocabulary/types.ts'
import { pictureOfJob, resizeDrawing } from './picture.ts'
import { filesOf, jobRequest, mediumOf, type StoredFile } from './stored-job.ts'
import { mediaOfTask } from './record.ts'

/** The media of a file of a job. @param index from 0. */
export function mediaOfJob(task: Task, index: number, shape: MediaShape = {}): MediaSpec {
  const request = jobRequest(task)
  const files = filesOf(request)
  const file = files[index]
  const { id } = task.record
  if (file?.kind === 'video') return nthVideo(mediaOfTask(task, shape), numberOf(files, index))
  if (file?.kind === 'audio') return audioSpec(file, `${request.seed}/${id}/${index}/${request.prompt}`)
  if (file?.kind === 'text') return textSpec(file)
  const made = readMediaShape(shape)
  const { file: path } = { ...(task.record.request['made'] as MadeMedia | undefined), ...made }
  if (path !== undefined) return { kind: 'file', path }
  const picture = pictureOfJob(task, index)
  return { ...picture, drawing: resizeDrawing(picture.drawing, made) }
}

/** The number of videos before a file. */
function numberOf(files: readonly StoredFile[], index: number): number {
  return files.slice(0, index).filter(({ kind }) => kind === 'video').length
}

function nthVideo(media: ClipSpec | FileSpec, n: number): ClipSpec | FileSpec {
  return n === 0 || media.kind === 'file'
    ? media
    : { ...media, seed: `${media.seed}/${n}`, taskId: `${media.taskId}/${n}` }
}

function audioSpec({ format, seconds }: { format: AudioFormat; seconds: number }, seed: string): AudioSpec {
  return { kind: 'audio', format, seconds, seed }
}

function textSpec({ text, type }: { text: string; type: string }): BytesSpec {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text), type }
}

/** The clips of a job: what is rendered before its client needs it. */
export function clipsOfJob(task: Task): ClipSpec[] {
  return filesOf(jobRequest(task)).flatMap(({ kind }, index) => {
    const media = kind === 'video' ? mediaOfJob(task, index) : undefined
    return media?.kind === 'clip' ? [media] : []
  })
}

/** What stands for a job: its first video or image, or a drawing of its prompt. */
export function posterOfJob(task: Task): MediaSpec | undefined {
  const request = jobRequest(task)
  const index = filesOf(request).findIndex((file) => mediumOf(file) === 'video' || mediumOf(file) === 'image')
  return index < 0 ? request.poster : mediaOfJob(task, index)
}
