import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { loadPatterns } from '../scenario/match/patterns.ts'
import type { Told } from './check.ts'
import { ScenarioError, type Position } from './error.ts'
import type { FileScenario } from './types.ts'

const texts = ['.yaml', '.yml', '.json']
const programs = ['.ts', '.mts', '.js', '.mjs']

/** Larger files are no scenarios. */
export const mostBytes = 1024 * 1024

/** A file that was read by itself: what it says, or what is wrong with it. */
export interface ReadFile {
  readonly path: string
  readonly scenario: FileScenario | undefined
  readonly mistakes: readonly Told[]
  /** Where keys and indexes lead. */
  readonly at: (place: readonly PropertyKey[], isKey?: boolean) => Position
}

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
  const { value, at } = programs.includes(kind) ? await run(path, text) : await parse(path, text)
  // Regular expressions are tried in the engine that will use them.
  if (text.includes('regex')) await loadPatterns()
  const { checkScenario } = await import('./check.ts')
  const checked = checkScenario(value)
  if ('scenario' in checked) return { path, scenario: checked.scenario, mistakes: [], at }
  return { path, scenario: undefined, mistakes: checked.mistakes, at }
}

function read(path: string): string {
  try {
    const found = statSync(path)
    if (!found.isFile()) throw new ScenarioError(`${path}: is no plain file. Name a scenario file.`)
    if (found.size > mostBytes) {
      throw new ScenarioError(
        `${path}: has ${found.size} bytes, more than ${mostBytes}. Split it, and let one file extend the other.`,
      )
    }
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if (error instanceof ScenarioError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : `can't be read, ${message}`
    throw new ScenarioError(`${path}: ${why}. Give the path of a scenario file.`, { cause: error })
  }
}

type Said = Pick<ReadFile, 'at'> & { value: unknown }

async function parse(path: string, text: string): Promise<Said> {
  const { parseYaml } = await import('./yaml-text.ts')
  const parsed = parseYaml(text)
  if ('mistakes' in parsed) {
    const told = parsed.mistakes.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`)
    throw new ScenarioError(told.join('\n'))
  }
  const at: ReadFile['at'] = (place, isKey = false) => ({ file: path, ...parsed.position(place, isKey) })
  return { value: parsed.value ?? {}, at }
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
  if (typeof value === 'object' && value !== null) return value
  const found = value === undefined ? 'exports no scenario' : `exports a ${typeof value} as its scenario`
  throw new ScenarioError(
    `${path}: ${found}. Write export default defineScenario({ … }), or export const scenario = { … }.`,
  )
}
