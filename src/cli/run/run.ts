import { exitCodes, type Command } from '../terminal/command.ts'
import { runFlags } from './run-flags.ts'

/** `greenroom run`: plays scenarios to a command, and judges what it makes of them. */
export const run: Command = {
  name: 'run',
  summary: 'play scenario files to a command, or to the reference client, and judge it',
  words: { name: 'files', describe: 'Scenario files', least: 1, most: 1_000 },
  wraps: true,
  options: runFlags,
  epilogue: `COMMAND is run once for each file, and each seed, with the gateway on a port of its own. It finds it by
GREENROOM_URL and GREENROOM_KEY, OPENAI_BASE_URL and OPENAI_API_KEY, GOOGLE_GEMINI_BASE_URL and
GEMINI_API_KEY, MJ_SERVER and MJ_API_SECRET, and by what config.env of the file and --env say. Without
COMMAND the reference client does what drive says. A strict run also fails for expected
invariants that are not applicable, and for faults that were only approximated, unless expect.allow of the
file allows it.

Exit codes: that of COMMAND when it fails, ${exitCodes.expectationFailed} an expectation failed, ${exitCodes.usage} a flag is wrong, ${exitCodes.badFile} a file is,
${exitCodes.cannotStart} the server could not start, ${exitCodes.stalled} a limit or a deadlock, ${exitCodes.noRequests} no request came,
${exitCodes.interrupted} interrupted.`,
  run: async (flags, terminal) => {
    const { runScenarios } = await import('./run-scenarios.ts')
    return runScenarios(flags, terminal)
  },
}
