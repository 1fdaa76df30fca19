import { auditAllowances } from '../../judge/audit.ts'
import { sourceFlags } from '../inspect/ask-server.ts'
import { exitCodes, repeatable, type Command } from '../terminal/command.ts'
import { judgeFlags } from './run-flags.ts'

/** `greenroom audit`: how a client behaves, without a scenario. */
export const audit: Command = {
  name: 'audit',
  summary: 'Audit client behaviour: invariants and statistics',
  wrapsCommand: true,
  options: {
    ...sourceFlags,
    ...judgeFlags,
    json: { type: 'boolean', describe: 'Print the audit as JSON' },
    allow: repeatable(`Let a strict audit pass in spite of ${auditAllowances.join(', ')}`),
  },
  epilogue: [
    'Audits COMMAND against a simulator of its own, or a recording (--journal), or a running server.',
    'A strict audit also fails for invariants that are not applicable or were not exercised, for faults that were only approximated, and for doubtful results, unless --allow names them.',
    `Exit codes: that of COMMAND if it fails, ${exitCodes.expectationFailed} an invariant was broken, ${exitCodes.usage} wrong flag or no server, ${exitCodes.badFile} the file can't be read, ${exitCodes.noRequests} no requests, ${exitCodes.interrupted} interrupted.`,
  ],
  run: async (input, terminal) => {
    const { auditClient } = await import('./audit-client.ts')
    return auditClient(input, terminal)
  },
}
