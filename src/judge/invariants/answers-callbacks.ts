import { Findings } from '../../apis/define/invariant.ts'
import type { GeneralInvariant } from './invariant.ts'

/** Judged only if the receiver is on the clock: a machine under load is slow in real time. */
export const answersCallbacks: GeneralInvariant = {
  name: 'answers-callbacks',
  means: 'A client answers each callback before the time-out of its sender.',
  advice:
    'Answer a callback at once, and do the work after that: a sender that gets no answer sends it again, or gives up.',
  needs: 'callback reached a client on the clock',
  watch: () => {
    const findings = new Findings()
    return {
      notified: ({ number, operation, outcome, status, timing, hint }) => {
        if (timing !== 'exact' || (status === 0 && outcome !== 'aborted')) return
        findings.exercised++
        if (outcome === 'aborted') findings.addViolation([number], `${operation}: ${hint}`)
      },
      findings: () => findings,
    }
  },
}
