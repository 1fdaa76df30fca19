import { sourceFlags } from './source-flags.ts'
import { exitCodes, type Command } from './command.ts'
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
    env: variablesFlag,
  },
  epilogue: `Audits COMMAND against a gateway of its own, or what --journal has recorded, or what a running server has
seen. A strict audit also fails for invariants that are not applicable, and for faults that were only
approximated; with --strict itself, for invariants that were not exercised, too.

Exit codes: that of COMMAND when it fails, ${exitCodes.expectationFailed} something was broken, ${exitCodes.usage} nobody can be asked, ${exitCodes.badFile} the file can't
be read, ${exitCodes.noRequests} no request came, ${exitCodes.interrupted} interrupted.`,
  run: async (flags, terminal) => {
    const { auditClient } = await import('./audit-client.ts')
    return auditClient(flags, terminal)
  },
}
