import { controlPrefix } from '../control/routes.ts'
import { magicHelp } from '../scenario/magic.ts'
import { startServer } from '../server/start.ts'
import { banner, type Announcement } from './banner.ts'
import { exitCodes, type Command } from './command.ts'
import type { Config } from './config.ts'
import { loadConfig } from './config-file.ts'
import { applyFlags, configFlags, textOf } from './flags.ts'

/** `greenroom serve`: the gateway on a local port, until it is told to end. */
export const serve: Command = {
  name: 'serve',
  summary: 'answer as the gateway on a local port',
  options: {
    config: {
      type: 'string',
      describe: 'The config file; by default greenroom.config.yaml, .yml or .json, if there',
    },
    ...Object.fromEntries(Object.entries(configFlags).map(([name, { options }]) => [name, options])),
  },
  epilogue: `Flags win over the config file, which knows the same things and more.

Directives in a prompt show each ending without a config:
  ${magicHelp}

Exit codes: ${exitCodes.usage} a flag is wrong, ${exitCodes.badFile} the config file is, ${exitCodes.cannotStart} the server could not start.`,
  run: async (flags, terminal) => {
    const named = flags['config'] === undefined ? undefined : textOf('config', flags['config'])
    const config = applyFlags(await loadConfig(terminal.folder, named), flags)
    const ffmpeg = config.ffmpeg ?? terminal.environment['GREENROOM_FFMPEG']
    const server = await startServer({
      ...config,
      ...(ffmpeg ? { ffmpeg } : {}),
      onWarning: (message) => terminal.warn(`greenroom: ${message}`),
    })
    const announcement: Announcement = {
      url: server.url,
      key: config.keys?.[0] ?? 'sk-greenroom',
      control: server.url + controlPrefix,
      clock: server.simulator.control.clock('default'),
      encoder: server.simulator.media.encoder(),
    }
    terminal.print(announce(config, announcement))
    await terminal.interrupted
    await server.close()
    return exitCodes.ok
  },
}

function announce({ quiet, json }: Config, announcement: Announcement): string {
  if (json) return JSON.stringify(announcement)
  return quiet ? announcement.url : banner(announcement)
}
