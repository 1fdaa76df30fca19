import { runInTurns } from '../../engine/clock/timers/steps.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { jsonComment, jsonMistake } from './syntax/json-text.ts'
import type { LocatedMistake } from './check.ts'
import { ScenarioError, type Position } from './error.ts'
import type { Scenario } from '../vocabulary/types.ts'

/** The maximum size of a scenario file. */
export const maxBytes = 1024 * 1024

/** One file, without the files that it extends: its scenario, or its mistakes. */
export interface ReadFile {
  readonly path: string
  readonly scenario: Scenario | undefined
  readonly mistakes: readonly LocatedMistake[]
  /** Returns the position of the value at a path of keys and indexes. */
  readonly at: (place: readonly PropertyKey[], isKey?: boolean) => Position
}

/** The content of a file before it is checked. */
export type Unchecked = Pick<ReadFile, 'at'> & { value: unknown }

/**
 * Parses YAML or JSON.
 * @param path its name in messages.
 * @throws {ScenarioError} with every syntax error.
 */
export async function parseText(path: string, text: string): Promise<Unchecked> {
  if (text.includes('\0'))
    throw new ScenarioError(`${path}: has NUL characters, as UTF-16 has. ${saveAsUtf8}`)
  const comment = jsonComment(path, text)
  if (comment !== undefined) throw new ScenarioError(comment)
  const mistake = path.endsWith('.json') ? jsonMistake(path, text) : undefined
  if (mistake !== undefined) throw new ScenarioError(mistake)
  const { readYaml } = await import('./yaml-text.ts')
  const parsed = await runInTurns(readYaml(text))
  if ('mistakes' in parsed) {
    const lines = parsed.mistakes.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`)
    throw new ScenarioError(lines.join('\n'))
  }
  const at: ReadFile['at'] = (place, isKey = false) => ({ file: path, ...parsed.position(place, isKey) })
  return { value: parsed.value ?? {}, at }
}

/** Validates a file. */
export async function checkFile(
  path: string,
  { value, at }: Unchecked,
  operations?: OperationTable,
): Promise<ReadFile> {
  const { checkScenario } = await import('./check.ts')
  const checked = checkScenario(value, operations)
  if ('scenario' in checked) return { path, scenario: checked.scenario, mistakes: [], at }
  return { path, scenario: undefined, mistakes: checked.mistakes, at }
}

/**
 * Decodes a file that a user wrote, without its byte order mark.
 * @throws {ScenarioError} for a file that is not UTF-8, such as the output of `>` in PowerShell.
 */
export function decodeTextFile(path: string, bytes: Uint8Array): string {
  const [first, second] = bytes
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (isUtf16) throw new ScenarioError(`${path}: is UTF-16. ${saveAsUtf8}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ScenarioError(`${path}: is not UTF-8. ${saveAsUtf8}`, { cause: error })
  }
}

const saveAsUtf8 = 'Save it as UTF-8.'
