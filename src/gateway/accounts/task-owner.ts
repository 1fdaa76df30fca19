import { hashApiKey } from '../../engine/random/hash-api-key.ts'
import type { Task } from '../../engine/tasks/tasks.ts'

/** Whether a task was submitted with a key. Restored tasks know only the hash of theirs. */
export function isOwnedBy({ key }: Task, credential: string): boolean {
  return key !== undefined && hashApiKey(key) === hashApiKey(credential)
}
