import { Findings } from '../../apis/define/invariant.ts'
import { findFault } from '../../scenario/faults/index.ts'
import type { GeneralInvariant } from './invariant.ts'

/** A receiver may accept a callback first and verify it later, so only a strict run fails. */
export const verifiesWebhooks: GeneralInvariant = {
  name: 'verifies-webhooks',
  means: 'A client refuses a callback whose signature is wrong.',
  advice: 'Verify the signature over the bytes of the body, and answer with 401 if it is wrong.',
  needs: 'forged callback was sent',
  watch: () => {
    const findings = new Findings()
    const accepted: { requests: number[]; message: string }[] = []
    return {
      notified: ({ number, operation, fault, status }) => {
        if (fault === null || findFault(fault)?.altersBody !== true || status === 0) return
        findings.exercised++
        if (status < 300)
          accepted.push({
            requests: [number],
            message: `The client accepted a forged ${operation} with ${status}.`,
          })
      },
      findings: () => findings.with([], accepted),
    }
  },
}
