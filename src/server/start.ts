import { nodeMedia } from '../media/node.ts'
import { clockOptions, mediaOptions, type SimulatorOptions } from '../options.ts'
import { composeSimulator, type Simulator } from '../simulator.ts'
import type { InFront } from './in-front.ts'
import { listen, ServerError, type RunningServer } from './server.ts'

/**
 * What {@link startServer} takes beside the options of every simulator.
 *
 * @example
 * const options: ServerOptions = { port: 0, host: '127.0.0.1', clock: { rate: 60 }, cacheDir: false }
 * const { simulator, close } = await startServer(options)
 * simulator.control.clock('default').mode // → 'scaled'
 * await close()
 */
export interface ServerOptions extends SimulatorOptions {
  /** Default 4646; 0 takes a free one. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The encoder: a path, or `wasm`. By default ffmpeg-static where its binary is installed, else wasm. */
  ffmpeg?: string
  /** Where clips are kept; `false` keeps them in memory only. */
  cacheDir?: string | false
  /** Who is asked before the gateway: by default nobody. */
  inFront?: InFront
  /** Stands between the port and the simulator, such as who records it. */
  between?: (simulator: Simulator) => Simulator
}

/** The port of `serve`, unless another is asked for. */
export const defaultPort = 4646

/**
 * Starts a simulator on a port: its clock is in mode `real`, and its clips are `full`.
 *
 * @param options everything has a default.
 * @throws {ServerError} when the address can't be had, and for clock mode `host`, which is for one process.
 *
 * @example
 * const server = await startServer({ port: 0 })
 * const health = await fetch(`${server.url}/_greenroom/health`)
 * health.status // → 200
 * await server.close()
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { port = defaultPort, host = '127.0.0.1', ffmpeg, cacheDir, onWarning = () => {} } = options
  const { between = (simulator) => simulator, inFront } = options
  if (options.clock?.mode === 'host') {
    throw new ServerError(
      'Failed to start: clock mode host follows the Date of one process, and the clients of a server live in ' +
        'others. Use real, scaled, manual or auto.',
    )
  }
  const media = options.media ?? nodeMedia({ ffmpeg, cacheDir, ...mediaOptions(options) })
  const simulator = composeSimulator({ ...options, host, media, clock: clockOptions(options, 'real') })
  try {
    return await listen(between(simulator), { port, host, onWarning, ...(inFront && { inFront }) })
  } catch (error) {
    await simulator.close()
    throw error
  }
}
