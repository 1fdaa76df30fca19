import { Findings } from '../../apis/define/invariant.ts'
import { isPoll } from '../exchanges.ts'
import type { GeneralInvariant } from './invariant.ts'

/**
 * A client knows the end of a task once a complete response has reported it. It may poll once through each API, and again
 * after a failed download or to continue from the result.
 */
export const noPollAfterTerminal: GeneralInvariant = {
  name: 'no-poll-after-terminal',
  means: 'A client stops polling a task when it knows that the task has ended.',
  advice: 'Stop polling once a poll reports the end of the task.',
  needs: 'poll showed the end of a task',
  needsOwnBodies: true,
  canCause: true,
  watch: () => {
    const findings = new Findings()
    return {
      admitted: (entry, task) => {
        const { number, operation } = entry
        if (!task || operation === null || !isPoll(entry)) return
        const knownBy = task.endKnownBy.get(operation)
        if (knownBy === undefined) return
        const message = `Task ${task.id} was polled again after #${knownBy} reported its end.`
        findings.addViolation([knownBy, number], message)
      },
      settled: ({ number, operation }, task) => {
        if (operation !== null && task?.endKnownBy.get(operation) === number) findings.exercised++
      },
      findings: () => findings,
    }
  },
}
