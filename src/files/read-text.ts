import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { LocatedMistake } from './check.ts'
import { ScenarioError, type Position } from './error.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'

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
  const parsed = readYaml(text)
  if ('mistakes' in parsed) {
    const lines = parsed.mistakes.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`)
    throw new ScenarioError(lines.join('\n'))
  }
  const at: ReadFile['at'] = (place, isKey = false) => ({ file: path, ...parsed.position(place, isKey) })
  return { value: parsed.value ?? {}, at }
}

/** A message about the first comment in JSON; undefined if there is none. */
function jsonComment(path: string, text: string): string | undefined {
  if (!path.endsWith('.json') && !/^\s*[{[]/.test(text)) return undefined
  // A comment follows a space or punctuation. In YAML, `//` after a colon may belong to a URL.
  const found = /"(?:[^"\\]|\\.)*"|'[^']*'|(?<=^|[\s,{}[\]])(\/\/|\/\*)/gm
  for (const { 1: comment, index } of text.matchAll(found)) {
    if (comment === undefined) continue
    return `${placeAt(path, text, index)}: JSON has no comments. Remove it, or save the file as .yaml and write # in front of comments.`
  }
  return undefined
}

function placeAt(path: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${path}:${before.length}:${before.at(-1)!.length + 1}`
}

/** Why a text is not JSON, even if it is YAML; undefined if it is JSON. */
function jsonMistake(path: string, text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    // Some messages of V8 have no position, and newer versions repeat it as line and column.
    const [message, offset] = (error as Error).message.split(/ (?:in JSON )?at position (\d+)/)
    const place = offset === undefined ? path : placeAt(path, text, Number(offset))
    const advice = 'Put keys and texts in double quotes, commas between entries only, or save it as .yaml.'
    return `${place}: the file is not JSON: ${message}. ${advice}`
  }
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
