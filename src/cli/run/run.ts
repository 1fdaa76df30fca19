import { exitCodes, type Command } from '../terminal/command.ts'
import { runFlags } from './run-flags.ts'

/** `greenroom run`: plays scenarios to a command and judges it. */
export const run: Command = {
  name: 'run',
  summary: 'Run scenarios against a command (or the reference client) and report pass/fail',
  positional: { name: 'files', describe: 'Scenario files', isList: true },
  wrapsCommand: true,
  options: runFlags,
  epilogue: [
    'COMMAND runs once for each file and seed, against a simulator on a free port. It finds the simulator by GREENROOM_URL and GREENROOM_KEY, OPENAI_BASE_URL and OPENAI_API_KEY, GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, MJ_SERVER and MJ_API_SECRET, and by the variables of --env and of config.env in the file. Without COMMAND, the reference client does the steps of drive.',
    'A strict run also fails for expected invariants that are not applicable and for faults that were only approximated, unless expect.allow in the file allows them.',
    `Exit codes: that of COMMAND if it fails, ${exitCodes.expectationFailed} an expectation failed, ${exitCodes.usage} wrong flag, ${exitCodes.badFile} bad file, ${exitCodes.cannotStart} the server could not start, ${exitCodes.stalled} time limit or deadlock, ${exitCodes.noRequests} no requests, ${exitCodes.interrupted} interrupted.`,
  ],
  run: async (input, terminal) => {
    const { runScenarios } = await import('./run-scenarios.ts')
    return runScenarios(input, terminal)
  },
}
