import { ModuleError, runModule } from '../../scenario/files/run-module.ts'
import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { checkValue } from './config-mistakes.ts'
import { isPromise } from '../../engine/maybe-promise.ts'

/**
 * Runs and checks a config file that is TypeScript or JavaScript: its default export, or the one named `config`.
 * Each call runs the text anew; what the file imports is loaded once.
 *
 * @param text what stands in the file.
 * @throws {ConfigError} with every mistake: the file, the keys that lead there, the value, and what to do; with line
 * and column where the file can't be run.
 */
export async function runConfig(path: string, text: string): Promise<Config> {
  const value = exportOf(path, await run(path, text))
  const checked = checkValue(value)
  if ('config' in checked) return checked.config
  throw new ConfigError(checked.mistakes.map(({ message }) => `${path} ${message}`).join('\n'))
}

async function run(path: string, text: string): Promise<unknown> {
  try {
    return await runModule(path, text)
  } catch (error) {
    if (error instanceof ModuleError) throw new ConfigError(error.message, { cause: error.cause })
    throw error
  }
}

function exportOf(path: string, exported: unknown): unknown {
  const { default: usual, config = undefined } = (exported ?? {}) as { default?: unknown; config?: unknown }
  const value = usual ?? config
  if (isPromise(value))
    throw new ConfigError(`${path} exports a promise as its config. Await it: a file may.`)
  if (typeof value === 'object' && value !== null) return value
  const found = value === undefined ? 'exports no config' : `exports a ${typeof value} as its config`
  throw new ConfigError(
    `${path} ${found}. Write export default { … } with the keys of the config file, or export const config = { … }.`,
  )
}
