import { fileURLToPath } from 'node:url'
import { createSimulator, type EmbeddedOptions, type NodeSimulator } from '../../src/index.ts'
import { loadApis, shippedApis } from '../../src/files/code/load-apis.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The names of shipped APIs. */
export const shippedNames = shippedApis()

/** Definitions of shipped APIs, which are loaded as a user loads them. */
export const loadShipped = (names: readonly string[]): ReturnType<typeof loadApis> => loadApis(names, root)

/** A simulator with shipped APIs, which are loaded as a user loads them. */
export async function simulatorWith(
  names: readonly string[],
  options: EmbeddedOptions = {},
): Promise<NodeSimulator> {
  return createSimulator({ cacheDir: false, ...options, apis: await loadShipped(names) })
}
