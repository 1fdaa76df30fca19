import { isPublic } from '../exchanges.ts'
import { Findings, type InvariantDefinition } from './invariant.ts'

/** An expired key counts as a key: the client can't know. */
export const authOnEveryCall: InvariantDefinition = {
  name: 'auth-on-every-call',
  means: 'Every request carries a key, downloads included.',
  advice: 'Send the key with every request, also with polls and downloads.',
  needs: 'request needed a key',
  watch: () => {
    const findings = new Findings()
    return {
      admitted: ({ number, operation, method, path, key, status }) => {
        if (operation === null || isPublic(operation)) return
        findings.exercised++
        // Signed links need no key; nor do downloads from a gateway that allows them without one.
        if (key !== '' || (operation === 'video.content' && status !== 401)) return
        findings.addViolation([number], `${method} ${path} carried no key.`)
      },
      findings: () => findings,
    }
  },
}
