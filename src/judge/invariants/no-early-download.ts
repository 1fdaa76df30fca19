import { Findings } from '../../apis/define/invariant.ts'
import { isDownload } from '../exchanges.ts'
import type { GeneralInvariant } from './invariant.ts'

/** Images in progress may be downloaded after a poll. A client is excused if a rule returned a wrong state. */
export const noEarlyDownload: GeneralInvariant = {
  name: 'no-early-download',
  means: 'A client downloads after its task has ended, not before.',
  advice: 'Download only after a poll has reported success.',
  needs: 'download was requested',
  watch: (context) => {
    const findings = new Findings()
    return {
      admitted: (entry, task) => {
        const { number, operation, status, final } = entry
        if (!task || !isDownload(entry)) return
        findings.exercised++
        if (status < 400 || final || task.hasEnded || task.wasMisreported) return
        const wasPolled = task.uses > 1 || context.lastListing > 0
        const hasPreviews = context.operations.find(operation)?.hasPreviews
        if (hasPreviews && (wasPolled || !task.submission)) return
        findings.addViolation([number], `Task ${task.id} had not ended when ${operation} was requested.`)
      },
      findings: () => findings,
    }
  },
}
