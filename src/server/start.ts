import { join, resolve } from 'node:path'
import { clockMapping, type ClockMode } from '../engine/clock/clock-settings.ts'
import { MessageStore } from '../gateway/messages.ts'
import { nodeMedia } from '../media/node.ts'
import { anyFunction, checkedLater, checkOptions, optionsCheck } from '../simulator/check-options.ts'
import type { PlayedScenario } from '../embedded/played-scenario.ts'
import { sdkEnvironment } from '../embedded/sdk-environment.ts'
import { defaultKey, namespaceOfKey } from '../gateway/accounts/keys.ts'
import type { WordedVerdict } from '../embedded/watched-run.ts'
import type { LoadedScenario } from '../files/types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import { clockOptions, mediaOptions, reportBug, type SimulatorOptions } from '../simulator/options.ts'
import { nodeParts } from '../simulator/node-parts.ts'
import { composeSimulator, type Simulator } from '../simulator/simulator.ts'
import { isLoopback } from '../control/guard.ts'
import { optionDefaults } from '../scenario/vocabulary/defaults.ts'
import { listen, ServerError, type ListeningServer } from './server.ts'
import type { Interceptor } from './user-handlers.ts'

/**
 * The options of {@link startServer}, in addition to those of every simulator.
 *
 * @example
 * const options: ServerOptions = { port: 0, host: '127.0.0.1', clock: { rate: 60 }, cacheDir: false }
 * const { simulator, close } = await startServer(options)
 * simulator.control.clock.status('default').mode // → 'scaled'
 * await close()
 */
export interface ServerOptions extends SimulatorOptions {
  /**
   * The scenario to play, as `greenroom run` does: on a free port, with a clock in mode `auto` and `fast` clips, unless the
   * scenario or the options set something else.
   */
  scenario?: LoadedScenario | Scenario
  /** Default 4646; with a scenario, a free port. 0 picks a free port. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The encoder: a path, or `wasm`. By default ffmpeg-static if its binary is installed, otherwise wasm. */
  ffmpeg?: string
  /** The folder in which clips are cached; `false` caches them in memory only. */
  cacheDir?: string | false
  /** Handles each request before the simulator does. By default there is none. */
  inFront?: Interceptor
  /**
   * The folder from which the state is restored and in which it is stored. By default, the state is lost when the server
   * stops.
   */
  state?: string
  /**
   * Whether headers and bodies of the latest exchanges are held in memory, with keys masked. `journal/{n}/exchange` and the
   * dashboard show them. Default false; `greenroom serve` turns it on, except if CI is set.
   */
  bodies?: boolean
  /** Wraps the simulator, such as to record exchanges. */
  between?: (simulator: Simulator) => Simulator
}

/**
 * A server that is running.
 *
 * @example
 * const server: RunningServer = await startServer({ port: 0 })
 * server.url // → `http://127.0.0.1:${server.port}`
 * await server.close()
 */
export interface RunningServer extends ListeningServer, AsyncDisposable {
  /**
   * Environment variables by which a client finds the server, such as GREENROOM_URL, OPENAI_BASE_URL and those of
   * `config.env` in the scenario. Pass them to a program that you start.
   */
  readonly env: Readonly<Record<string, string>>
  /**
   * Judges the exchanges so far by the expectations of the scenario. Without a scenario, judges the exchanges in the
   * journal by the invariants of a good client.
   * @example
   * const server = await startServer({ port: 0 })
   * await new MyClient({ fetch, baseUrl: server.url }).ask('Why do kites fly?')
   * const { passed } = await server.verdict()
   * passed // → true
   * await server.close()
   */
  verdict(): Promise<WordedVerdict>
}

const checkServerOptions = optionsCheck({
  scenario: checkedLater,
  inFront: checkedLater,
  between: anyFunction,
})

/**
 * Starts a simulator on a port: its clock is in mode `real`, and its clips are `full`.
 *
 * @param given the options; each has a default.
 * @throws {ServerError} if it can't listen on the address, if other machines can reach it and no keys are configured, and
 * for clock mode `host`, which works only within one process.
 *
 * @example
 * const server = await startServer({ port: 0 })
 * const health = await fetch(`${server.url}/_greenroom/health`)
 * health.status // → 200
 * await server.close()
 */
export async function startServer(given: ServerOptions = {}): Promise<RunningServer> {
  checkServerOptions(given)
  const { scenario, ...own } = given
  // Loads the judge only when it is used.
  const loadJudge = (): Promise<typeof import('../embedded/watched-run.ts')> =>
    import('../embedded/watched-run.ts')
  const played = scenario && (await readScenario(scenario))
  if (played) checkOptions(played.options)
  const options: ServerOptions = played ? { port: 0, quality: 'fast', ...played.options, ...own } : own
  const { port = optionDefaults.port, ffmpeg, cacheDir, onWarning = reportBug } = options
  // URLs have brackets around IPv6 addresses, so the option accepts them too.
  const host = options.host?.replace(/^\[(.*)\]$/, '$1') ?? optionDefaults.host
  const { between = (simulator) => simulator, inFront } = options
  if (clockMapping(options.clock)?.mode === 'host') {
    throw new ServerError(
      'Failed to start: clock mode host follows the Date of one process, and the clients of a server live in ' +
        'others. Use real, scaled, manual or auto.',
    )
  }
  refusePublicAccess(host, options)
  refuseSharedFolder(options)
  const pictureDir = options.state === undefined ? undefined : join(options.state, 'pictures')
  const media = options.media ?? nodeMedia({ ffmpeg, cacheDir, pictureDir, ...mediaOptions(options) })
  // If other machines can connect, keys that anyone could make up are invalid unless configured.
  const strictKeys = options.strictKeys ?? !isLoopback(host)
  const clock = clockOptions(options, played ? 'auto' : 'real')
  const retention = { ...optionDefaults.servedRetention, ...options.retention }
  const messages = options.bodies ? new MessageStore() : undefined
  let simulator = composeSimulator({
    ...options,
    strictKeys,
    retention,
    host,
    media,
    clock,
    nodeParts,
    ...(messages && { messages }),
  })
  let server: ListeningServer | undefined
  try {
    if (options.state !== undefined)
      simulator = await withState(simulator, options.state, { ...options, clock })
    server = await listen(between(simulator), { port, host, onWarning, ...(inFront && { inFront }) })
    const { url, close } = server
    const served = server.simulator
    const judged = played && (await loadJudge()).judgeScenario(served, played)
    const verdict = async (): Promise<WordedVerdict> =>
      (judged ?? (await loadJudge()).judgeScenario(served, undefined)).verdict()
    const env = sdkEnvironment({ url, key: exampleKey(options) }, played?.env)
    return { ...server, env, verdict, [Symbol.asyncDispose]: close }
  } catch (error) {
    await (server ?? simulator).close()
    throw error
  }
}

/** @throws {ServerError} if state and clips would share a folder: the cache refuses one that has other files. */
function refuseSharedFolder({ state, cacheDir }: ServerOptions): void {
  if (state === undefined || !cacheDir || resolve(state) !== resolve(cacheDir)) return
  throw new ServerError(
    `Failed to start: state and cacheDir name the same folder, ${state}. Give each one of its own, such as ` +
      `--cache-dir ${join(state, 'cache')}.`,
  )
}

async function readScenario(scenario: LoadedScenario | Scenario): Promise<PlayedScenario> {
  const { playedScenario } = await import('../embedded/played-scenario.ts')
  return playedScenario(scenario, { hasSocket: true })
}

/**
 * Returns a valid key: the first, preferably of namespace `default`. Without configured keys, every key
 * that starts with `sk-` is valid.
 */
export function exampleKey({ keys = [] }: Pick<ServerOptions, 'keys'>): string {
  const usable = keys.map((key) => (typeof key === 'string' ? { key } : key))
  const own = usable.find(
    ({ key, namespace }) => (namespace ?? namespaceOfKey(key) ?? 'default') === 'default',
  )
  return (own ?? usable[0])?.key ?? defaultKey
}

/** @throws {ServerError} if every machine on the network could connect with any key. */
function refusePublicAccess(host: string, { keys = [] }: ServerOptions): void {
  if (isLoopback(host) || keys.length > 0) return
  throw new ServerError(
    `Failed to listen on ${host}: other machines could reach it, and every key that starts with sk- would be valid. ` +
      'Set valid keys by --keys sk-mine or by keys in the config, or listen on 127.0.0.1.',
  )
}

/** Loads the store only if it is used. */
async function withState(
  simulator: Simulator,
  folder: string,
  { clock, onWarning = () => {} }: ServerOptions & { clock: { mode: ClockMode; rate?: number } },
): Promise<Simulator> {
  const { withStateFolder } = await import('./state/state-folder.ts')
  const { mode, rate = 1 } = clock
  return withStateFolder(folder, simulator, { clock: { mode, rate }, onWarning })
}
