import { readFileSync } from 'node:fs'
import { promptFaultHelp, textDirectivesHelp } from '../../text/directives.ts'
import { directivesHelp } from '../../scenario/directives.ts'
import { exitCodes, journalFlag, readText, type Command } from '../terminal/command.ts'
import { isModule } from '../../files/file-types.ts'
import { configNames, findConfig } from './config-file.ts'
import { pickServerFlags, serveFlagAdvice, serveFlagNames } from './server-flags.ts'

/** `greenroom serve`: runs the simulator on a local port until a signal. */
export const serve: Command = {
  options: {
    config: { type: 'string', describe: `Read this config file  [default: ${configNames} of the folder]` },
    scenario: {
      type: 'string',
      describe:
        'Play this scenario: a file, or a name that greenroom scenarios lists; wins over the config file',
    },
    journal: journalFlag,
    fallback: {
      type: 'string',
      describe: 'Forward requests that greenroom does not know to the gateway at this URL',
    },
    handlers: { type: 'string', describe: 'Offer each request to the MSW handlers of this file first' },
    ...pickServerFlags(serveFlagNames),
  },
  flagAdvice: serveFlagAdvice,
  epilogue: [
    'Flags win over the config file, which has more options. When the file changes, its rules and throttles apply at once; workers and other changes need a restart. A handlers file is reloaded, too.',
    `Directives in a prompt choose the outcome without a config:\n  ${directivesHelp}\n  ${promptFaultHelp}\n  ${textDirectivesHelp}`,
    `Exit codes: ${exitCodes.usage} wrong flag, ${exitCodes.badFile} bad file, ${exitCodes.cannotStart} the server could not start, ${exitCodes.interrupted} it did not end within 5 s of a signal.`,
  ],
  examples: [
    ['greenroom serve --rate 60', 'start on port 4646, with time 60 times as fast'],
    ['greenroom serve --scenario lost-polls', 'play a scenario that comes with greenroom'],
  ],
  runsUserCode: (flags, folder) => {
    const config = findConfig(folder, readText(flags, 'config'))
    const scenario = readText(flags, 'scenario')
    return (
      flags['handlers'] !== undefined ||
      flags['api'] !== undefined ||
      // A scenario in YAML or JSON names no programs.
      (scenario !== undefined && isModule(scenario)) ||
      (config !== undefined && (isModule(config) || namesApis(config)))
    )
  },
  run: async ({ flags }, terminal) => {
    const { runServer } = await import('./run-server.ts')
    return runServer(flags, terminal)
  },
}

/** Whether a file may name APIs, which are code. A file that can't be read fails later. */
function namesApis(file: string): boolean {
  try {
    return /\bapis\b/.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}
