import { afterEach, beforeEach } from 'vitest'
import { removedOperations } from './golden.ts'
import { noteError, removedUses } from './removed-uses.ts'

// Removing an API breaks no test of another one, but many tests use it as an example. Where its folder is gone and its golden exchanges
// remain, a test that fails after it used that API is skipped, with this reason. Where all APIs are there, nothing is skipped.
if (removedOperations.length > 0) {
  removedUses.clear()
  let usedByFile: readonly string[] | undefined
  beforeEach(() => {
    usedByFile ??= [...removedUses]
    removedUses.clear()
  })
  afterEach(({ task, skip }) => {
    if (task.result?.state !== 'fail') return
    for (const { message, diff = '', actual = '' } of task.result.errors ?? [])
      noteError(`${message}\n${diff}\n${String(actual)}`)
    const used = [...removedUses, ...usedByFile!]
    if (used.length > 0) skip(`uses ${used.slice(0, 3).join(', ')}, whose API is removed`)
  })
}
