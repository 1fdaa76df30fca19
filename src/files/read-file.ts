import { caps } from '../engine/caps.ts'
import { readFileSync, statSync } from 'node:fs'
import { isOwnApi } from '../apis/define/own-apis.ts'
import { isPromise } from '../engine/maybe-promise.ts'
import { isModule } from './file-types.ts'
import { decodeTextFile, parseText, type Unchecked } from './read-text.ts'
import { ScenarioError } from './error.ts'
import { readFailure } from './file-error.ts'

/** What a file is for, in messages. */
export interface FileUse {
  /** The export that has the content, if it is not the default: `scenario`, `config`. */
  readonly noun: string
  /** What to do if the file can't be read, or is too large. */
  readonly advice: string
  readonly largeAdvice: string
  /** How to write the default export. */
  readonly example: string
  /** Whether a user may name a client by mistake, which must not run here: it may call a real gateway. */
  readonly mayBeClient?: true
}

/**
 * Reads and parses a file that a user wrote: YAML, JSON, TypeScript or JavaScript. A program is run.
 * @throws {ScenarioError} for a file that can't be read, parsed or run, with `file:line:column` where they are known.
 */
export async function readUserFile(
  path: string,
  use: FileUse,
): Promise<Unchecked & { readonly text: string }> {
  const text = readUserText(path, use)
  if (!isModule(path)) return { text, ...(await parseText(path, text)) }
  if (use.mayBeClient && !mayExport(text, use.noun)) findExport(path, undefined, use)
  const { refuseApi, codeFailure, runModule } = await import('./code/run-module.ts')
  const exported = await runModule(path, text)
  refuseApi(path, exported, use.noun)
  const value = findExport(path, exported, use)
  try {
    readGetters(value)
  } catch (error) {
    throw codeFailure(path, error, text)
  }
  return { text, value, at: () => ({ file: path }) }
}

/** @throws {ScenarioError} for a file that is missing, too large or not UTF-8. */
export function readUserText(
  path: string,
  { advice, largeAdvice }: Pick<FileUse, 'advice' | 'largeAdvice'>,
): string {
  try {
    const found = statSync(path)
    if (!found.isFile()) throw new ScenarioError(`${path}: is not a file. ${advice}`)
    if (found.size > caps.fileBytes)
      throw new ScenarioError(`${path}: has ${found.size} bytes, more than ${caps.fileBytes}. ${largeAdvice}`)
    return decodeTextFile(path, readFileSync(path))
  } catch (error) {
    if (error instanceof ScenarioError) throw error
    throw new ScenarioError(readFailure(path, error, advice), { cause: error })
  }
}

/** Reads all fields once, so that a getter that throws does so here, where its file is known. */
function readGetters(value: unknown, visited = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || visited.has(value) || isOwnApi(value)) return
  visited.add(value)
  for (const each of Object.values(value)) readGetters(each, visited)
}

function mayExport(text: string, noun: string): boolean {
  return new RegExp(`\\b(?:(?:export|as)\\s+default|exports|${noun})\\b|\\bexport\\s*\\*`).test(text)
}

function findExport(path: string, exported: unknown, { noun, example }: FileUse): object {
  const { default: main, [noun]: named } = (exported ?? {}) as Record<string, unknown>
  const value = main ?? named
  if (isPromise(value))
    throw new ScenarioError(`${path}: exports a promise as its ${noun}. Await it: a file may.`)
  if (typeof value === 'object' && value !== null) return value
  const found = value === undefined ? `exports no ${noun}` : `exports a ${typeof value} as its ${noun}`
  throw new ScenarioError(`${path}: ${found}. Write ${example}, or export const ${noun} = { … }.`)
}
