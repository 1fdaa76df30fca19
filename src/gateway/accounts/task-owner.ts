import { sealedKey } from '../../engine/random/sealed-key.ts'
import type { Task } from '../../engine/tasks/tasks.ts'

/** Whether a task was submitted with a key. Restored tasks know only the hash of theirs. */
export function isOwnedBy({ key }: Task, credential: string): boolean {
  return key !== undefined && sealedKey(key) === sealedKey(credential)
}
