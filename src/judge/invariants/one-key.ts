import { Findings, type InvariantDefinition } from '../invariant.ts'
import { Memory } from '../memory.ts'
import { isPublic, isSubmission } from '../operations.ts'

/** Judged by task, so that one process may serve several users, each with a key. A key that is refused may be replaced. */
export const oneKey: InvariantDefinition = {
  name: 'one-key',
  means: 'Everything that concerns a task carries the key that submitted it.',
  needs: 'task was asked about after its submission',
  watch: ({ tasks }) => {
    const findings = new Findings()
    const refused = new Memory<true>()
    return {
      admitted: (entry, task) => {
        const { number, operation, key, keyHash, status } = entry
        if (key !== '' && (status === 401 || status === 403)) refused.set(keyHash, true)
        const about = isSubmission(operation) ? tasks.find(entry.parent) : task
        if (!about?.submission || key === '' || isPublic(operation)) return
        findings.exercised++
        if (about.key.keyHash === keyHash) return
        if (!refused.get(about.key.keyHash)) {
          const looksEqual = about.key.key === key
          findings.violated(
            [about.submission.number, number],
            `Task ${about.id} was submitted with ${about.key.key} and asked for ${operation} with ` +
              (looksEqual ? 'another key that looks the same when masked.' : `${key}.`),
          )
        }
        about.key = { key, keyHash }
      },
      findings: () => findings,
    }
  },
}
