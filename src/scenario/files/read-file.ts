import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { ScenarioError } from './error.ts'
import { checkFile, maxBytes, parseText, saveAsUtf8, type ReadFile, type Said } from './read-text.ts'
import { isPromise } from '../../engine/maybe-promise.ts'

const texts = ['.yaml', '.yml', '.json']
const programs = ['.ts', '.mts', '.js', '.mjs']

/**
 * Reads a scenario file, without what it extends.
 * @throws {ScenarioError} when it can't be read, parsed or run at all.
 */
export async function readScenarioFile(path: string): Promise<ReadFile> {
  const kind = extname(path)
  if (![...texts, ...programs].includes(kind)) {
    throw new ScenarioError(
      `${path}: is no scenario file. Use a file that ends in ${[...texts, ...programs].join(', ')}.`,
    )
  }
  const text = read(path)
  return checkFile(path, text, await (programs.includes(kind) ? run(path, text) : parseText(path, text)))
}

function read(path: string): string {
  try {
    const found = statSync(path)
    if (!found.isFile()) throw new ScenarioError(`${path}: is no plain file. Name a scenario file.`)
    if (found.size > maxBytes) {
      throw new ScenarioError(
        `${path}: has ${found.size} bytes, more than ${maxBytes}. Split it, and let one file extend the other.`,
      )
    }
    return decoded(path, readFileSync(path))
  } catch (error) {
    if (error instanceof ScenarioError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : `can't be read, ${message}`
    throw new ScenarioError(`${path}: ${why}. Give the path of a scenario file.`, { cause: error })
  }
}

/** @throws {ScenarioError} for a file that is not UTF-8, such as what PowerShell writes by `>`. */
function decoded(path: string, bytes: Uint8Array): string {
  const [first, second] = bytes
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (isUtf16) throw new ScenarioError(`${path}: is UTF-16. ${saveAsUtf8}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ScenarioError(`${path}: is not UTF-8. ${saveAsUtf8}`, { cause: error })
  }
}

async function run(path: string, text: string): Promise<Said> {
  const { ModuleError, runModule } = await import('./run-module.ts')
  try {
    return { value: exportOf(path, await runModule(path, text)), at: () => ({ file: path }) }
  } catch (error) {
    if (!(error instanceof ModuleError)) throw error
    throw new ScenarioError(`${error.place}: The file can't be run: ${error.reason}`, { cause: error.cause })
  }
}

function exportOf(path: string, exported: unknown): unknown {
  const { default: usual, scenario = undefined } = (exported ?? {}) as {
    default?: unknown
    scenario?: unknown
  }
  const value = usual ?? scenario
  if (isPromise(value))
    throw new ScenarioError(`${path}: exports a promise as its scenario. Await it: a file may.`)
  if (typeof value === 'object' && value !== null) return value
  const found = value === undefined ? 'exports no scenario' : `exports a ${typeof value} as its scenario`
  throw new ScenarioError(
    `${path}: ${found}. Write export default defineScenario({ … }), or export const scenario = { … }.`,
  )
}
