import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../../src/index.ts'
import { servedOptions } from '../support/needs.ts'
import type { PortLimits } from '../../src/server/limits.ts'
import { listen } from '../../src/server/server.ts'

/** A server that notes everything it takes for a mistake of its own. */
export interface WatchedServer extends AsyncDisposable {
  readonly url: string
  readonly sim: EmbeddedSimulator
  readonly mistakes: readonly string[]
}

/** Options under which every route is there, and every answer comes at once. */
export const everything: EmbeddedOptions = {
  cacheDir: false,
  ffmpeg: 'wasm',
  clock: { mode: 'auto' },
  quality: 'fast',
  ...servedOptions({ video: { listAndDelete: true }, drawing: { notifyHook: false } }),
}

export async function openWatched(
  options: EmbeddedOptions = {},
  limits: Partial<PortLimits> = {},
): Promise<WatchedServer> {
  const mistakes: string[] = []
  const onWarning = (message: string): void => {
    if (isMistake(message)) mistakes.push(message)
  }
  const sim = createSimulator({ ...everything, ...options, onWarning })
  const server = await listen(sim.core, { port: 0, host: '127.0.0.1', onWarning, limits })
  return { url: server.url, sim, mistakes, [Symbol.asyncDispose]: server.close }
}

/**
 * Whether a warning is about the simulator. These tests let clients wait on a manual clock on purpose, on a busy machine
 * for over a second, and send directives that have no effect.
 */
export function isMistake(warning: string): boolean {
  return !warning.startsWith('A client waits in namespace') && !/^[\w.]+: .*\[\[/.test(warning)
}

/** How many cases are tried: few by default, so that the suite stays quick. `FUZZ_RUNS=50` tries fifty times as many. */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env['FUZZ_RUNS'] ?? 1))
}

/** The same cases each time, unless `FUZZ_SEED` asks for others. */
export const seed = Number(process.env['FUZZ_SEED'] ?? 20_300_101)
