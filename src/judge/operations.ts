import { findOperation, taskKindOf } from '../engine/operations/operations.ts'
import { fitsGlob } from '../engine/glob.ts'
import type { Channel } from '../scenario/vocabulary/types.ts'

export const isSubmission = (operation: string | null): boolean => findOperation(operation)?.kind === 'submit'

/** Whether it reads the state of one task. */
export const isPoll = (operation: string | null): boolean => findOperation(operation)?.kind === 'poll'

export const isDownload = (operation: string | null): boolean => findOperation(operation)?.kind === 'download'

/** Whether it needs no key. */
export const isPublic = (operation: string | null): boolean => findOperation(operation)?.access === 'public'

/** The kind of task that an operation or pattern is about; null for texts and listings. */
export function channelOf(operation: string | null): Channel | null {
  return operation === null ? null : (taskKindOf(operation) ?? null)
}

/** Whether an operation is one of those that are named, each by its name or a pattern with `*`. */
export function isAmong(wanted: string | readonly string[], operation: string | null): boolean {
  return operation !== null && [wanted].flat().some((pattern) => fitsGlob(pattern, operation))
}
