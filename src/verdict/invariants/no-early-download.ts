import { Findings, type InvariantDefinition } from '../invariant.ts'

const finishedOnly = new Set(['video.content', 'mj.film'])

/** Pictures in progress may be looked at. A client to which a rule told an untruth about its task is excused. */
export const noEarlyDownload: InvariantDefinition = {
  name: 'no-early-download',
  means: 'A client downloads when its task has ended, not before (§1).',
  needs: 'download was asked for',
  watch: () => {
    const findings = new Findings()
    return {
      admitted: ({ number, operation, status, final }, task) => {
        if (!task || !finishedOnly.has(operation ?? '')) return
        findings.exercised++
        if (status < 400 || final || task.hasEnded || task.misreported) return
        findings.violated([number], `Task ${task.id} had not ended when ${operation} was asked for.`)
      },
      findings: () => findings,
    }
  },
}
