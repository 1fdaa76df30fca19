import type { RunningServer } from '../../server/server.ts'
import { controlPrefix } from '../../control/routes.ts'
import { isLoopback } from '../../control/loopback.ts'
import type { EncoderStatus, MediaSource } from '../../media/source.ts'
import { magicHelp } from '../../scenario/magic.ts'
import { startServer } from '../../server/start.ts'
import { type Announcement, banner } from './banner.ts'
import { type Command, exitCodes } from '../terminal/command.ts'
import type { Config } from './config.ts'
import { configNames, findConfig, readConfig } from './config-file.ts'
import { configReload } from './config-reload.ts'
import { watchFile } from './config-watch.ts'
import { applyFlags, configFlags, textOf } from '../terminal/flags.ts'
import { journalFlag } from '../run/journal-flag.ts'
import type { JournalFile } from '../terminal/journal-file.ts'
import { exampleKey } from './example-key.ts'
import { tokenIn } from '../inspect/ask-server.ts'
import { servedHandlers, type ServedHandlers } from './served-handlers.ts'
import { resolve } from 'node:path'
import { loadScenarios, type NamedScenario } from '../run/load-scenarios.ts'

/** `greenroom serve`: the gateway on a local port, until it is told to end. */
export const serve: Command = {
  name: 'serve',
  summary: 'answer as the gateway on a local port',
  options: {
    config: {
      type: 'string',
      describe: `The config file; by default ${configNames}, if there`,
    },
    scenario: { type: 'string', describe: 'A scenario file to play; it wins over the config file' },
    journal: journalFlag,
    handlers: {
      type: 'string',
      describe: 'A file with handlers of MSW, which are asked before the gateway',
    },
    ...Object.fromEntries(Object.entries(configFlags).map(([name, { options }]) => [name, options])),
  },
  epilogue: `Flags win over the config file, which knows the same things and more. The file is read again when it
changes: rules apply at once, the rest is named and waits for a restart. Handlers are read again, too.

Directives in a prompt show each ending without a config:
  ${magicHelp}

Exit codes: ${exitCodes.usage} a flag is wrong, ${exitCodes.badFile} a file is, ${exitCodes.cannotStart} the server could not start, ${exitCodes.interrupted} it did not end within 5 s of a signal.`,
  run: async (flags, terminal) => {
    const served = servedBy(flags, terminal.folder)
    const config = await served.read()
    const controlToken = config.controlToken ?? tokenIn(terminal.environment)
    const ffmpeg = config.ffmpeg ?? terminal.environment['GREENROOM_FFMPEG']
    const name = flags['journal'] === undefined ? undefined : textOf('journal', flags['journal'])
    const tell = (message: string): void => terminal.warn(`greenroom: ${message}`)
    const bodyLimitBytes = (config.limits?.bodyMegabytes ?? 32) * 1024 * 1024
    const { folder } = terminal
    const handlers = await servedHandlers(flags['handlers'], { folder, bodyLimitBytes, warn: tell })
    const recording = await journalAt(name, terminal.folder, config)
    const server = await startServer({
      ...config,
      ...(ffmpeg ? { ffmpeg } : {}),
      ...(controlToken ? { controlToken } : {}),
      ...(recording ? { between: recording.between } : {}),
      ...(handlers ? { inFront: handlers.inFront } : {}),
      onWarning: tell,
    }).catch(async (error: unknown) => {
      await recording?.discard()
      throw error
    })
    const announcement: Announcement = {
      url: server.url,
      key: exampleKey(config),
      control: server.url + controlPrefix,
      controlAccess: controlToken ? 'token' : isLoopback(config.host ?? 'localhost') ? 'open' : 'closed',
      clock: server.simulator.control.clock('default'),
      encoder: await checkedEncoder(server.simulator.media),
      ...(handlers && { handlers: handlers.summary }),
    }
    const endReload = reloadOnChange(served, { config, server, handlers }, tell)
    terminal.print(announce(config, announcement))
    await terminal.interrupted
    await endReload()
    await server.close()
    await recording?.end()
    return exitCodes.ok
  },
}

/** @returns a function that ends it. */
function reloadOnChange(
  { path = '', isScenario, read, files }: ResolvedConfig,
  {
    config,
    server,
    handlers,
  }: { config: Config; server: RunningServer; handlers?: ServedHandlers | undefined },
  // Beside the banner, which programs read, too.
  tell: (message: string) => void,
): () => Promise<void> {
  const { rules } = server.simulator
  const replaceRules = (wanted: NonNullable<Config['rules']>): void => rules.replace(wanted)
  const reload = configReload(config, { path, isScenario, read, replaceRules, tell })
  const ends = new Map<string, () => Promise<void>>()
  const watch = (file: string, change: () => Promise<void>): void => {
    if (ends.has(file)) return
    const failure = (reason: string): void =>
      tell(`Failed to watch ${file}: ${reason}. Restart after a change.`)
    ends.set(file, watchFile(file, { change, failure }))
  }
  let last = Promise.resolve()
  // One after the other, or what was read first might be taken last. An edited scenario may extend other files than before.
  const change = (): Promise<void> => (last = last.then(reload).then(watchFiles))
  const watchFiles = (): void => files().forEach((file) => watch(file, change))
  watchFiles()
  if (handlers) watch(handlers.path, handlers.reload)
  return async () => void (await Promise.all([...ends.values()].map((end) => end())))
}

/** A native encoder is run once, so that the banner says which one makes the clips. */
async function checkedEncoder(media: MediaSource): Promise<EncoderStatus> {
  return (await media.checkEncoder?.()) ?? media.encoder()
}

function announce({ quiet, json }: Config, announcement: Announcement): string {
  if (json) return JSON.stringify(announcement)
  return quiet ? announcement.url : banner(announcement)
}

/** Who records is loaded only where somebody wants a recording. */
async function journalAt(
  name: string | undefined,
  folder: string,
  options: object,
): Promise<JournalFile | undefined> {
  if (name === undefined) return undefined
  const { openJournal } = await import('../terminal/journal-file.ts')
  return openJournal(name, options, { folder, replace: false })
}

/** What `serve` was told by its files. */
interface ResolvedConfig {
  /** Reads the files and puts the flags over them. */
  readonly read: () => Promise<Config>
  /** The file that is named when it was read again; undefined when there is none. */
  readonly path: string | undefined
  /** Whether that is a scenario. */
  readonly isScenario: boolean
  /** Those that are looked after for changes. */
  readonly files: () => readonly string[]
}

/**
 * Finds the files that `serve` reads: a config, a scenario, both or none. The scenario wins over the config, and flags
 * over both.
 *
 * @throws {UsageError} {ConfigError} for files that can't be told.
 */
function servedBy(flags: Readonly<Record<string, unknown>>, folder: string): ResolvedConfig {
  const named = flags['config'] === undefined ? undefined : textOf('config', flags['config'])
  const path = findConfig(folder, named)
  const scenario =
    flags['scenario'] === undefined ? undefined : resolve(folder, textOf('scenario', flags['scenario']))
  let parts: readonly string[] = []
  return {
    path: scenario ?? path,
    isScenario: scenario !== undefined,
    files: () => [...(path === undefined ? [] : [path]), ...parts],
    read: async () => {
      const config = path === undefined ? {} : await readConfig(path)
      if (scenario === undefined) return applyFlags(config, flags)
      const [loaded] = await loadScenarios([scenario], { folder })
      parts = loaded!.loaded.files
      return applyFlags(withScenario(config, loaded!), flags)
    },
  }
}

function withScenario(config: Config, { loaded: { scenario } }: NamedScenario): Config {
  const { seed, clock, rules = [], throttles = [] } = scenario
  return {
    ...config,
    ...(scenario.config as Config | undefined),
    ...(seed === undefined ? {} : { seed }),
    ...(clock === undefined ? {} : { clock }),
    rules: [...rules, ...(config.rules ?? [])],
    throttles: [...throttles, ...(config.throttles ?? [])],
  }
}
