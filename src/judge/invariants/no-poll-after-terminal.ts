import { Findings, type InvariantDefinition } from '../invariant.ts'
import { isLook } from '../operations.ts'

/**
 * A client knows of the end once an answer that shows it has arrived, whole. It may look once through each API, and
 * again when its download failed, or when it goes on from the result.
 */
export const noPollAfterTerminal: InvariantDefinition = {
  name: 'no-poll-after-terminal',
  means: 'Once a client was told that a task has ended, it polls no more (§4.2).',
  needs: 'client was told that its task has ended',
  watch: () => {
    const findings = new Findings()
    return {
      admitted: ({ number, operation }, task) => {
        if (!task || operation === null || !isLook(operation)) return
        const told = task.told.get(operation)
        if (told === undefined) return
        findings.violated([told, number], `Task ${task.id} was polled again after #${told} had told its end.`)
      },
      settled: ({ number, operation }, task) => {
        if (operation !== null && task?.told.get(operation) === number) findings.exercised++
      },
      findings: () => findings,
    }
  },
}
