import { fitsGlob } from '../engine/glob.ts'
import { submissions } from '../engine/operation.ts'
import type { Channel } from './expectations/expect.ts'

const makers = new Set<string>(submissions)

const polls = new Set(['video.poll', 'videos.retrieve', 'mj.fetch'])
const downloads = new Set(['video.content', 'mj.image', 'mj.film'])
const publicOnes = new Set(['mj.image', 'mj.film', 'mj.uploaded'])

export const isSubmission = (operation: string | null): boolean => makers.has(operation ?? '')

/** Whether it asks how a task is doing. */
export const isPoll = (operation: string | null): boolean => polls.has(operation ?? '')

export const isDownload = (operation: string | null): boolean => downloads.has(operation ?? '')

/** Whether nobody polls at keys there. */
export const isPublic = (operation: string | null): boolean => publicOnes.has(operation ?? '')

/** The kind of task that an operation is about; null for texts and listings. */
export function channelOf(operation: string | null): Channel | null {
  if (operation === null) return null
  if (operation.startsWith('mj.')) return 'drawing'
  return operation.startsWith('video.') || operation.startsWith('videos.') ? 'video' : null
}

/** The words that a sequence may use for an operation: the last part of its name, and what it does. */
export function wordsFor(operation: string): string[] {
  const words = ['any', operation.slice(operation.indexOf('.') + 1)]
  if (isSubmission(operation)) words.push('submit')
  if (isPoll(operation)) words.push('poll')
  if (isDownload(operation)) words.push('download')
  return words
}

/** Whether an operation is one of those that are named, each by its name or a pattern with `*`. */
export function isAmong(wanted: string | readonly string[], operation: string | null): boolean {
  return operation !== null && [wanted].flat().some((pattern) => fitsGlob(pattern, operation))
}
