import { bytesOf, caps } from '../../engine/caps.ts'
import { resolve } from 'node:path'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { baseUrls } from '../../apis/index.ts'
import { isLoopback } from '../../control/guard.ts'
import { controlPrefix } from '../../gateway/request.ts'
import type { EncoderStatus, MediaSource } from '../../media/source.ts'
import { type RunningServer, startServer } from '../../server/start.ts'
import type { Interceptor } from '../../server/user-handlers.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { placeText } from '../../files/error.ts'
import { Throttles } from '../../scenario/throttles/throttles.ts'
import { type Config, environmentOptions, exampleKey, findConfig, readConfig } from './config-file.ts'
import type { NamedScenario } from '../run/scenarios.ts'
import {
  isInCI,
  exitCodes,
  FileError,
  type Flags,
  readText,
  readTextFlags,
  type Terminal,
} from '../terminal/command.ts'
import { banner, pasteHelp, type Announcement } from './banner.ts'
import { createReload, watchFile, type ReloadedLists } from './config-reload.ts'
import type { ServedHandlers } from './handlers.ts'
import { openLog, type RequestLog } from './log/log.ts'
import { formatProgram } from '../terminal/program.ts'
import { logSimulator } from './log/log-simulator.ts'
import { PackageMissing } from '../../media/source.ts'
import { applyFlags } from './server-flags.ts'

/**
 * Starts a server, prints its URL, and stops it when the terminal is interrupted.
 * @returns the exit code.
 */
export async function runServer(flags: Flags, terminal: Terminal): Promise<number> {
  const { folder } = terminal
  const sources = await findSources(flags, folder)
  const read = await sources.read()
  const {
    verbose = false,
    open = false,
    ...config
  } = {
    ...read,
    ...environmentOptions(read, terminal.environment),
  }
  const warn = (message: string): void => terminal.warn(`warning: ${message}`)
  const handlers = await loadHandlers(flags, config, terminal)
  const recording = await openRecording(flags, config, folder)
  let simulator!: Simulator
  const between = (started: Simulator): Simulator => (simulator = recording?.between(started) ?? started)
  const fallback = await loadFallback(flags, () => simulator)
  const server = await startServer({
    bodies: !isInCI(terminal.environment),
    ...config,
    limits: { journalEntries: servedJournalEntries, ...config.limits },
    between,
    ...inFrontOf(handlers?.inFront, fallback),
    onWarning: warn,
  }).catch(async (error: unknown) => {
    await recording?.discard()
    throw error
  })
  const encoder = await checkEncoder(server.simulator.media).catch(async (error: unknown) => {
    await server.close()
    await recording?.discard()
    throw error
  })
  const isOpen = isLoopback(config.host ?? 'localhost')
  const announcement: Announcement = {
    url: server.url,
    dashboard: `${server.url}${controlPrefix}/`,
    bases: baseUrls(server.url, config.apis),
    key: exampleKey(config),
    control: server.url + controlPrefix,
    controlAccess: config.controlToken ? 'token' : isOpen ? 'open' : 'closed',
    seed: String(config.seed ?? 1),
    clock: server.simulator.control.clock.status('default'),
    encoder,
    ...(handlers && { handlers: handlers.summary }),
  }
  const stopWatching = reloadOnChange(sources, { config: read, server, handlers }, terminal)
  const log = await startLog({ ...config, verbose }, { server, announcement }, terminal)
  if (open) void openDashboard(announcement, log)
  const loading = hostTimers.setTimeout(() => void loadModules(server, warn), loadAfterMs)
  await terminal.interrupted
  hostTimers.clearTimeout(loading)
  await stopWatching()
  await server.close()
  await log.end()
  await recording?.end()
  return exitCodes.ok
}

/** When the server has time to load what the first clip and the first text need: after its first responses. */
const loadAfterMs = 1_000

async function loadModules({ simulator }: RunningServer, warn: (message: string) => void): Promise<void> {
  try {
    const { loadRendering } = await import('../../media/node.ts')
    await Promise.all([loadRendering(), simulator.load()])
  } catch (error) {
    // Anything else is loaded again, and reported, by the first request that needs it.
    if (error instanceof PackageMissing) warn(error.message)
  }
}

/** Opens the dashboard in a browser, or logs why it could not. */
async function openDashboard({ dashboard }: Announcement, log: RequestLog): Promise<void> {
  const { openBrowser } = await import('../terminal/open-browser.ts')
  const problem = await openBrowser(dashboard)
  if (problem !== undefined) log.warn(problem)
}

/** The journal of a server is longer than in tests, because the dashboard shows it. */
export const servedJournalEntries = 10_000

/** Announces the server and logs its requests. */
async function startLog(
  { verbose = false, log: format = 'pretty' }: Config,
  { server, announcement }: { server: RunningServer; announcement: Announcement },
  terminal: Terminal,
): Promise<RequestLog> {
  const log = await openLog(format, terminal)
  if (format === 'silent') terminal.print(announcement.url)
  else if (format === 'json') log.note(announcement.url, announcement)
  else {
    const paste = verbose ? `\n${pasteHelp(announcement)}` : ''
    terminal.print(`${banner(announcement)}${paste}`)
  }
  if (format === 'silent') return log
  const flush = logSimulator(server, log, { verbose, program: formatProgram(terminal.environment) })
  return {
    ...log,
    end: () => {
      flush()
      return log.end()
    },
  }
}

// Loads MSW, Express and the recorder only if they are used.
async function loadHandlers(
  flags: Flags,
  { limits }: Config,
  { folder, warn }: Terminal,
): Promise<ServedHandlers | undefined> {
  const file = readText(flags, 'handlers')
  if (file === undefined) return undefined
  const { serveHandlers } = await import('./handlers.ts')
  const bodyLimitBytes = bytesOf(limits?.bodyMegabytes, caps.bodyBytes)
  return serveHandlers(resolve(folder, file), { bodyLimitBytes, warn })
}

async function loadFallback(flags: Flags, simulator: () => Simulator): Promise<Interceptor | undefined> {
  const text = readText(flags, 'fallback')
  if (text === undefined) return undefined
  const { createFallback } = await import('../../server/forward.ts')
  const { parseTarget } = await import('../inspect/record.ts')
  return createFallback(parseTarget('fallback', text), simulator)
}

/** Puts the user's handlers before the fallback. */
function inFrontOf(
  handlers: Interceptor | undefined,
  fallback: Interceptor | undefined,
): { inFront?: Interceptor } {
  if (!handlers || !fallback) return handlers || fallback ? { inFront: (handlers ?? fallback)! } : {}
  return {
    inFront: (request, response, pass) =>
      handlers(request, response, (passed) => fallback(passed, response, pass)),
  }
}

async function openRecording(flags: Flags, options: object, folder: string) {
  const file = readText(flags, 'journal')
  if (file === undefined) return undefined
  const { openJournal } = await import('../terminal/journal-file.ts')
  return openJournal(file, options, { folder, replace: false })
}

/**
 * Runs a native encoder once, so that the banner names the encoder in use.
 * @throws if it was configured and does not work: each download would fail.
 */
async function checkEncoder(media: MediaSource): Promise<EncoderStatus> {
  const status = (await media.checkEncoder?.()) ?? media.encoder()
  if (status.candidate !== 'wasm' && !status.verified) throw new Error(status.reason)
  return status
}

/** @returns a function that stops watching. */
function reloadOnChange(
  { path = '', isScenario, read, files }: ConfigSources,
  {
    config,
    server,
    handlers,
  }: { config: Config; server: RunningServer; handlers: ServedHandlers | undefined },
  { warn }: Terminal,
): () => Promise<void> {
  const replace = ({ rules, throttles }: ReloadedLists): void => {
    // Throws for an invalid throttle, before anything is replaced.
    new Throttles(server.simulator.operations, throttles)
    server.simulator.rules.replace(rules)
    server.simulator.throttles.replace(throttles)
  }
  const reload = createReload(config, { path, isScenario, read, replace, warn })
  const stops = new Map<string, () => Promise<void>>()
  const watch = (file: string, change: () => Promise<void>): void => {
    if (stops.has(file)) return
    const failure = (reason: string): void =>
      warn(`warning: Failed to watch ${file}: ${reason}. Restart after a change.`)
    stops.set(file, watchFile(file, { change, failure }))
  }
  let last = Promise.resolve()
  // Only one reload runs at a time, so that the latest read wins. An edited scenario may extend other files than before.
  const change = (): Promise<void> => (last = last.then(reload).then(watchFiles))
  const watchFiles = (): void => files().forEach((file) => watch(file, change))
  watchFiles()
  if (handlers) watch(handlers.path, handlers.reload)
  return async () => void (await Promise.all([...stops.values()].map((stop) => stop())))
}

/** The files that `serve` reads: a config, a scenario, both or none. */
interface ConfigSources {
  /** Reads the files and applies the flags. The scenario overrides the config, and flags override both. */
  readonly read: () => Promise<Config>
  /** The file that messages about a reload name. */
  readonly path: string | undefined
  readonly isScenario: boolean
  /** The files to watch. */
  readonly files: () => readonly string[]
}

async function findSources(flags: Flags, folder: string): Promise<ConfigSources> {
  const path = findConfig(folder, readText(flags, 'config'))
  const named = readText(flags, 'scenario')
  const scenario =
    named === undefined ? undefined : (await import('../run/shipped.ts')).findScenario(named, folder)
  let parts: readonly string[] = []
  return {
    path: scenario ?? path,
    isScenario: scenario !== undefined,
    files: () => [...(path === undefined ? [] : [path]), ...parts],
    read: async () => {
      const config = path === undefined ? {} : await readConfig(path)
      if (scenario === undefined) return applyFlags(config, flags)
      const { loadScenarios } = await import('../run/scenarios.ts')
      const [loaded] = await loadScenarios([scenario], folder, readTextFlags(flags, 'api'))
      parts = loaded!.loaded.files
      return applyFlags(addScenario(config, loaded!), flags)
    },
  }
}

/** @throws {FileError} for a scenario with crashes. Only a command can crash. */
function addScenario(config: Config, { file, loaded: { scenario, at } }: NamedScenario): Config {
  if (scenario.crash !== undefined)
    throw new FileError(
      `${placeText(at(['crash']))}: crash needs a command, which a server does not start. Play ${file} by ` +
        '"greenroom run", with the command after "--".',
    )
  const { seed, clock, rules = [], throttles = [] } = scenario
  const apis = [...new Set([...(config.apis ?? []), ...(scenario.config?.apis ?? [])])]
  return {
    ...config,
    ...(scenario.config as Config | undefined),
    ...(apis.length > 0 && { apis }),
    ...(seed !== undefined && { seed }),
    ...(clock !== undefined && { clock }),
    rules: [...rules, ...(config.rules ?? [])],
    throttles: [...throttles, ...(config.throttles ?? [])],
  }
}
