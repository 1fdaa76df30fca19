import { Findings } from '../../apis/define/invariant.ts'
import type { GeneralInvariant } from './invariant.ts'

/** An expired key counts as a key, because the client can't know that it expired. */
export const authOnEveryCall: GeneralInvariant = {
  name: 'auth-on-every-call',
  means: 'Every request carries a key, downloads included.',
  advice: 'Send the key with every request, also with polls and downloads.',
  needs: 'request needed a key',
  watch: ({ operations }) => {
    const findings = new Findings()
    return {
      admitted: ({ number, operation, method, path, key, status }) => {
        const facts = operations.find(operation)
        if (!facts || facts.access === 'public') return
        findings.exercised++
        // Signed links need no key. Nor do downloads from a gateway that allows them without a key.
        if (key !== '' || (facts.access === 'signed' && status !== 401)) return
        findings.addViolation([number], `${method} ${path} carried no key.`)
      },
      findings: () => findings,
    }
  },
}
