import { createRequire, Module } from 'node:module'
import { extname } from 'node:path'
import { ScenarioError } from './error.ts'

/**
 * Runs a file in TypeScript or JavaScript. Each call runs the text again; its imports are loaded once.
 *
 * @param text the content of the file.
 * @returns its exports.
 * @throws {ScenarioError} for a file that can't be run, with line and column where they are known.
 */
export async function runModule(path: string, text: string): Promise<unknown> {
  const { createJiti } = loadJiti()
  const loader = createJiti(path, { fsCache: false, interopDefault: false })
  const file = { id: path, filename: path, ext: extname(path), async: true }
  try {
    // By default jiti passes JavaScript to Node's loader, which caches modules and would ignore edits.
    return await loader.evalModule(text, { ...file, forceTranspile: true })
  } catch (error) {
    const { place, reason } = whereAndWhy(path, error)
    throw new ScenarioError(`${place}: The file can't be run: ${reason}`, { cause: error })
  }
}

/**
 * Loads jiti with Node's own loader. Jest replaces `require`, and jiti can't import ES modules in that one.
 * `module.require` is still Node's.
 */
function loadJiti(): typeof import('jiti') {
  const path = createRequire(import.meta.url).resolve('jiti')
  return new Module(path).require(path) as typeof import('jiti')
}

/**
 * Reads position and reason of an error. The loader's parser appends the position to its message, and counts columns from
 * 0. Runtime errors have it in their stack: that line is right, but the column belongs to the transpiled code.
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

/** Finds line and column after a path. On Windows, loaders write the path with slashes. */
export function placeIn(text: string, path: string): readonly string[] {
  const toSlashes = (each: string): string => each.replaceAll('\\', '/')
  const found = toSlashes(text)
    .split(toSlashes(path))
    .slice(1)
    .map((rest) => /^:(\d+):(\d+)/.exec(rest))
  return found.find((match) => match !== null) ?? []
}
