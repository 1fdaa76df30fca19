import { Findings, type InvariantDefinition } from '../invariant.ts'
import { isPublic } from '../operations.ts'

/** A key that has expired is a key: whether it opens anything is not the client's doing. */
export const authOnEveryCall: InvariantDefinition = {
  name: 'auth-on-every-call',
  means: 'Every call carries a key, the download included (§5).',
  needs: 'request asks for something that needs a key',
  watch: () => {
    const findings = new Findings()
    return {
      admitted: ({ number, operation, method, path, key, status }) => {
        if (operation === null || isPublic(operation)) return
        findings.exercised++
        // Signed links and a gateway that lets everybody download need none.
        if (key !== '' || (operation === 'video.content' && status !== 401)) return
        findings.violated([number], `${method} ${path} came without a key.`)
      },
      findings: () => findings,
    }
  },
}
