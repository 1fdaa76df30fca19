import { auditAllowances } from '../../judge/audit.ts'
import { sourceFlags } from '../inspect/source-flags.ts'
import { exitCodes, type Command } from '../terminal/command.ts'
import { strictFlag } from './strict-flag.ts'
import { variablesFlag } from './variables-flag.ts'

/** `greenroom audit`: how a client behaved, without any scenario. */
export const audit: Command = {
  name: 'audit',
  summary: 'tell how a client behaves: what a good one never breaks, and numbers',
  wraps: true,
  options: {
    ...sourceFlags,
    json: { type: 'boolean', describe: 'Print it as JSON' },
    strict: strictFlag,
    allow: {
      type: 'string',
      array: true,
      nargs: 1,
      describe: `What a strict audit lets pass: ${auditAllowances.join(', ')}; repeatable`,
    },
    env: variablesFlag,
  },
  epilogue: `Audits COMMAND against a gateway of its own, or what --journal has recorded, or what a running server has
seen. A strict audit also fails for invariants that are not applicable or were not exercised, for faults that
were only approximated, and for what is doubtful, unless --allow names it.

Exit codes: that of COMMAND when it fails, ${exitCodes.expectationFailed} something was broken, ${exitCodes.usage} nobody can be asked, ${exitCodes.badFile} the file can't
be read, ${exitCodes.noRequests} no request came, ${exitCodes.interrupted} interrupted.`,
  run: async (flags, terminal) => {
    const { auditClient } = await import('./audit-client.ts')
    return auditClient(flags, terminal)
  },
}
