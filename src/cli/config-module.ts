import { extname } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { checkValue } from './config-mistakes.ts'

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
  const { createJiti } = await import('jiti')
  const loader = createJiti(path, { fsCache: false, interopDefault: false })
  const file = { id: path, filename: path, ext: extname(path), async: true }
  try {
    // Left to itself, the loader gives JavaScript to Node, which never reads a file twice.
    return await loader.evalModule(text, { ...file, forceTranspile: true })
  } catch (error) {
    const { place, reason } = whereAndWhy(path, error)
    throw new ConfigError(`${place} The file can't be run: ${reason}`, { cause: error })
  }
}

/**
 * The loader's parser tells the place at the end of its message and counts columns from 0. Errors of code that runs
 * tell it in their stack; lines are kept there, while columns are those of the code that the loader made.
 */
function whereAndWhy(path: string, error: unknown): { place: string; reason: string } {
  const { message = String(error), stack = '' } = error instanceof Error ? error : {}
  const reason = message
    .split('\n')[0]!
    .replace('ParseError: ', '')
    .trim()
    .replace(/(?<![.!?])$/, '.')
  const [, line, column] = placeIn(message, path)
  if (line !== undefined) return { place: `${path}:${line}:${Number(column) + 1}`, reason }
  const [, runningLine] = placeIn(stack, path)
  return { place: runningLine === undefined ? path : `${path}:${runningLine}`, reason }
}

function placeIn(text: string, path: string): readonly string[] {
  const found = text
    .split(path)
    .slice(1)
    .map((rest) => /^:(\d+):(\d+)/.exec(rest))
  return found.find((match) => match !== null) ?? []
}

function exportOf(path: string, exported: unknown): unknown {
  const { default: usual, config = undefined } = (exported ?? {}) as { default?: unknown; config?: unknown }
  const value = usual ?? config
  if (typeof value === 'object' && value !== null) return value
  const found = value === undefined ? 'exports no config' : `exports a ${typeof value} as its config`
  throw new ConfigError(
    `${path} ${found}. Write export default { … } with the keys of the config file, or export const config = { … }.`,
  )
}
