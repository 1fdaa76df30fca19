import { maxTracked, Findings } from '../../apis/define/invariant.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { isSubmission } from '../exchanges.ts'
import type { GeneralInvariant } from './invariant.ts'

/** Judged by task, because one process may serve several users with different keys. A refused key may be replaced. */
export const oneKey: GeneralInvariant = {
  name: 'one-key',
  means: 'All requests about a task carry the key that submitted it.',
  advice: 'Poll and download a task with the key that submitted it.',
  needs: 'request about a task followed its submission',
  watch: ({ tasks, operations }) => {
    const findings = new Findings()
    const refusedKeys = new BoundedMap<true>(maxTracked)
    return {
      admitted: (entry, task) => {
        const { number, operation, key, keyHash, status } = entry
        if (key !== '' && (status === 401 || status === 403)) refusedKeys.set(keyHash, true)
        const subject = isSubmission(entry) ? tasks.find(entry.parent) : task
        if (!subject?.submission || key === '' || operations.find(operation)?.access === 'public') return
        findings.exercised++
        if (subject.key.keyHash === keyHash) return
        if (!refusedKeys.has(subject.key.keyHash)) {
          const other = subject.key.key === key ? 'another key that looks the same when masked' : key
          findings.addViolation(
            [subject.submission.number, number],
            `Task ${subject.id} was submitted with ${subject.key.key}, but ${operation} used ${other}.`,
          )
        }
        subject.key = { key, keyHash }
      },
      findings: () => findings,
    }
  },
}
