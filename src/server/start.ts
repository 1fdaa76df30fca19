import { join } from 'node:path'
import { clockMapping, type ClockMode } from '../engine/clock/clock-settings.ts'
import { MessageStore } from '../gateway/messages.ts'
import { nodeMedia } from '../media/node.ts'
import { anyFunction, checkedLater, checkOptions } from '../simulator/check-options.ts'
import { clockOptions, mediaOptions, type SimulatorOptions } from '../simulator/options.ts'
import { reportBug } from '../simulator/report-bug.ts'
import { composeSimulator, type Simulator } from '../simulator/simulator.ts'
import { isLoopback } from '../control/guard.ts'
import { defaultPort } from './limits.ts'
import { listen, ServerError, type RunningServer } from './server.ts'
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
  /** Default 4646; 0 picks a free one. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The encoder: a path, or `wasm`. By default ffmpeg-static if its binary is installed, otherwise wasm. */
  ffmpeg?: string
  /** The folder in which clips are cached; `false` caches them in memory only. */
  cacheDir?: string | false
  /** Handles each request before the simulator does. By default there is none. */
  inFront?: Interceptor
  /** The folder in which the state is stored, and from which it is restored. By default it is lost at the end. */
  state?: string
  /** Whether a response waits until the disk has its changes, so that they survive a loss of power. Default false. */
  stateSync?: boolean
  /**
   * Whether headers and bodies of the latest exchanges are held in memory, with keys masked, for `journal/{n}/exchange` and the
   * dashboard. Default false; `greenroom serve` turns it on, except where CI is set.
   */
  bodies?: boolean
  /** Wraps the simulator, such as to record it. */
  between?: (simulator: Simulator) => Simulator
}

/** Bounds on stored tasks and idle namespaces, so that a server that runs for weeks doesn't grow. */
export const servedRetention = { tasks: 100_000, idle: '24h' } as const

/**
 * Starts a simulator on a port: its clock is in mode `real`, and its clips are `full`.
 *
 * @param options everything has a default.
 * @throws {ServerError} if it can't listen on the address, if other machines can reach it and there are no keys, and for
 * clock mode `host`, which is for one process.
 *
 * @example
 * const server = await startServer({ port: 0 })
 * const health = await fetch(`${server.url}/_greenroom/health`)
 * health.status // → 200
 * await server.close()
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  checkOptions(options, { inFront: checkedLater, between: anyFunction })
  const { port = defaultPort, ffmpeg, cacheDir, onWarning = reportBug } = options
  // URLs have IPv6 addresses in brackets, so those are accepted.
  const host = options.host?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1'
  const { between = (simulator) => simulator, inFront } = options
  if (clockMapping(options.clock)?.mode === 'host') {
    throw new ServerError(
      'Failed to start: clock mode host follows the Date of one process, and the clients of a server live in ' +
        'others. Use real, scaled, manual or auto.',
    )
  }
  if (options.state === undefined && options.stateSync) {
    throw new ServerError(
      'Failed to start: stateSync needs a folder to store the state in. Set state, or leave stateSync out.',
    )
  }
  refusePublicAccess(host, options)
  const pictureDir = options.state === undefined ? undefined : join(options.state, 'pictures')
  const media = options.media ?? nodeMedia({ ffmpeg, cacheDir, pictureDir, ...mediaOptions(options) })
  // If other machines can connect, a key that anyone could make up is invalid, unless configured.
  const strictKeys = options.strictKeys ?? !isLoopback(host)
  const clock = clockOptions(options, 'real')
  const retention = { ...servedRetention, ...options.retention }
  const messages = options.bodies ? new MessageStore() : undefined
  let simulator = composeSimulator({
    ...options,
    strictKeys,
    retention,
    host,
    media,
    clock,
    ...(messages && { messages }),
  })
  try {
    if (options.state !== undefined)
      simulator = await withState(simulator, options.state, { ...options, clock })
    return await listen(between(simulator), { port, host, onWarning, ...(inFront && { inFront }) })
  } catch (error) {
    await simulator.close()
    throw error
  }
}

/** @throws {ServerError} if any machine on the network could connect with any key. */
function refusePublicAccess(host: string, { keys = [] }: ServerOptions): void {
  if (isLoopback(host) || keys.length > 0) return
  throw new ServerError(
    `Failed to listen on ${host}: other machines could reach it, and every key that starts with sk- would be valid. ` +
      'Set valid keys by --key sk-mine or by keys in the config, or listen on 127.0.0.1.',
  )
}

/** Loads the store only when it is used. */
async function withState(
  simulator: Simulator,
  folder: string,
  {
    stateSync = false,
    clock,
    onWarning = () => {},
  }: ServerOptions & { clock: { mode: ClockMode; rate?: number } },
): Promise<Simulator> {
  const { withStateFolder } = await import('./state-folder.ts')
  const { mode, rate = 1 } = clock
  return withStateFolder(folder, simulator, { sync: stateSync, clock: { mode, rate }, onWarning })
}
