import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { isObject } from '../../../engine/is-object.ts'
import { requestOf, type Task } from '../../../engine/tasks/tasks.ts'
import type { AudioFormat, FileSpec, PictureSpec } from '../../../media/spec.ts'
import { storedVideo } from './record.ts'

/** What a file of a job is. */
export type JobMedium = 'video' | 'image' | 'audio' | 'text'

/** A file of a job, as its record has it. */
export type StoredFile =
  | { readonly kind: 'video' }
  | { readonly kind: 'audio'; readonly format: AudioFormat; readonly seconds: number }
  | { readonly kind: 'text'; readonly text: string; readonly type: string }
  | PictureSpec
  | FileSpec

/** The stored part of a job's request. */
export const storedJob = once(() =>
  z.extend(storedVideo(), {
    /** What replies repeat. */
    input: z.optional(z.unknown()),
    /** Where its changes are posted, and the beginning of links in them. */
    hook: z.optional(z.string()),
    hookOrigin: z.optional(z.string()),
    /** The images that a job makes; missing for a video. */
    pictures: z.optional(z.array(z.custom<PictureSpec | FileSpec>(isObject))),
    /** The files that a job makes, if they are not images alone or one video. */
    files: z.optional(z.array(z.custom<StoredFile>(isObject))),
    /** The drawing that represents a job whose files have no image, such as sounds. */
    poster: z.optional(z.custom<PictureSpec>(isObject)),
  }),
)
export type StoredJob = z.output<ReturnType<typeof storedJob>>

/** The request of a job, with the changes of its confirmations. */
export function jobRequest(task: Task): StoredJob {
  return requestOf(task) as unknown as StoredJob
}

const oneVideo: readonly StoredFile[] = [{ kind: 'video' }]

/** The files of a job. */
export function filesOf({ files, pictures }: Pick<StoredJob, 'files' | 'pictures'>): readonly StoredFile[] {
  return files ?? pictures ?? oneVideo
}

export function mediumOf({ kind }: StoredFile): JobMedium {
  return kind === 'picture' || kind === 'file' ? 'image' : kind
}
