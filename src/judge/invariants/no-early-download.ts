import { Findings, type InvariantDefinition } from '../invariant.ts'
import { isDownload } from '../operations.ts'

const finishedOnly = new Set(['video.content', 'mj.film'])

/**
 * A picture in progress may be looked at, once the task itself was. A client to which a rule told an untruth about its
 * task is excused.
 */
export const noEarlyDownload: InvariantDefinition = {
  name: 'no-early-download',
  means: 'A client downloads when its task has ended, not before (§1).',
  needs: 'download was asked for',
  watch: (run) => {
    const findings = new Findings()
    return {
      admitted: ({ number, operation, status, final }, task) => {
        if (!task || !isDownload(operation)) return
        findings.exercised++
        if (status < 400 || final || task.hasEnded || task.misreported) return
        const wasAskedAbout = task.uses > 1 || run.listedAt > 0
        if (!finishedOnly.has(operation!) && (wasAskedAbout || !task.submission)) return
        findings.violated([number], `Task ${task.id} had not ended when ${operation} was asked for.`)
      },
      findings: () => findings,
    }
  },
}
