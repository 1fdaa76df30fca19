import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadScenario } from '../../src/embedded/scenarios.ts'
import type { LoadedScenario } from '../../src/files/types.ts'

export const folder = new URL('../../scenarios/', import.meta.url)

/** The names of the shipped scenarios. */
export const names = readdirSync(folder)
  .map((file) => file.replace(/\.yaml$/, ''))
  .toSorted()

/** Loads a shipped scenario. */
export const load = (name: string): Promise<LoadedScenario> =>
  loadScenario(fileURLToPath(new URL(`${name}.yaml`, folder)))
