import { shippedOperations } from '../apis/index.ts'
import type { Channel } from '../scenario/vocabulary/types.ts'

/** Whether it needs no key. */
export const isPublic = (operation: string | null): boolean =>
  shippedOperations.find(operation)?.access === 'public'

/** The kind of task that an operation or pattern is about; null for texts and listings. */
export function channelOf(operation: string | null): Channel | null {
  return operation === null
    ? null
    : ((shippedOperations.taskKindOf(operation) as Channel | undefined) ?? null)
}
