import { join } from 'node:path'
import type { ClockMode } from '../engine/clock-settings.ts'
import { nodeMedia } from '../media/node.ts'
import { clockOptions, mediaOptions, type SimulatorOptions } from '../options.ts'
import { composeSimulator, type Simulator } from '../simulator.ts'
import { listen, ServerError, type RunningServer } from './server.ts'

/** What {@link startServer} takes beside the options of every simulator. */
export interface ServerOptions extends SimulatorOptions {
  /** Default 4646; 0 takes a free one. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The encoder: a path, or `wasm`. By default ffmpeg-static where its binary is installed, else wasm. */
  ffmpeg?: string
  /** Where clips are kept; `false` keeps them in memory only. */
  cacheDir?: string | false
  /** The folder in which the state is kept, and from which it goes on. Without it, all is forgotten at the end. */
  state?: string
  /** Whether answers wait until the disk has what they promise, so that it outlives a loss of power. Default false. */
  stateSync?: boolean
  /** Whether a damaged state is used up to the damage. Default false. */
  stateSalvage?: boolean
  /** Stands between the port and the simulator, such as who records it. */
  between?: (simulator: Simulator) => Simulator
}

/** What is kept of the past, so that a server that is left on doesn't grow. */
const servedRetention = { tasks: 100_000, idle: '24h' } as const

/** The port of `serve`, unless another is asked for. */
export const defaultPort = 4646

/**
 * Starts a simulator on a port: its clock is in mode `real`, and its clips are `full`.
 *
 * @example
 * const server = await startServer({ port: 0 })
 * const health = await fetch(`${server.url}/_greenroom/health`)
 * await server.close()
 *
 * @throws {ServerError} when the address can't be had, and for clock mode `host`, which is for one process.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { port = defaultPort, host = '127.0.0.1', ffmpeg, cacheDir, onWarning = () => {} } = options
  const { between = (simulator) => simulator } = options
  if (options.clock?.mode === 'host') {
    throw new ServerError(
      'Failed to start: clock mode host follows the Date of one process, and the clients of a server live in ' +
        'others. Use real, scaled, manual or auto.',
    )
  }
  const pictureDir = options.state === undefined ? undefined : join(options.state, 'pictures')
  const media = options.media ?? nodeMedia({ ffmpeg, cacheDir, pictureDir, ...mediaOptions(options) })
  const clock = clockOptions(options, 'real')
  const retention = { ...servedRetention, ...options.retention }
  let simulator = composeSimulator({ ...options, retention, host, media, clock })
  try {
    if (options.state !== undefined) simulator = await kept(simulator, options.state, { ...options, clock })
    return await listen(between(simulator), { port, host, onWarning })
  } catch (error) {
    await simulator.close()
    throw error
  }
}

/** What keeps a state is loaded only where one is kept. */
async function kept(
  simulator: Simulator,
  folder: string,
  {
    stateSync = false,
    stateSalvage = false,
    clock,
    onWarning = () => {},
  }: ServerOptions & { clock: { mode: ClockMode } },
): Promise<Simulator> {
  const { keptIn } = await import('./state-folder.ts')
  const { mode, rate = 1 } = clock as { mode: ClockMode; rate?: number }
  return keptIn(folder, simulator, {
    sync: stateSync,
    salvage: stateSalvage,
    clock: { mode, rate },
    onWarning,
  })
}
