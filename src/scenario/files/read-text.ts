import { runInTurns } from '../../engine/clock/timers/steps.ts'
import { saveAsUtf8 } from './decode-utf8.ts'
import { loadPatterns } from '../schema/patterns.ts'
import type { LocatedMistake } from './check.ts'
import { ScenarioError, type Position } from './error.ts'
import type { Scenario } from '../vocabulary/types.ts'

/** The maximum size of a scenario file. */
export const maxBytes = 1024 * 1024

/** A file, without those that it extends: its scenario, or its mistakes. */
export interface ReadFile {
  readonly path: string
  readonly scenario: Scenario | undefined
  readonly mistakes: readonly LocatedMistake[]
  /** The position of the value that keys and indexes lead to. */
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

/** A message about the first comment in JSON, or undefined. */
function jsonComment(path: string, text: string): string | undefined {
  if (!path.endsWith('.json') && !/^\s*[{[]/.test(text)) return undefined
  // A comment follows a space or punctuation: after a colon, `//` may belong to a URL in YAML.
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

/** Why a text is not JSON, though it may be YAML; undefined if it is. */
function jsonMistake(path: string, text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    const offset = jsonEnd(text)
    const [found] = /^(?:[\w.+-]+|[^]?)/u.exec(text.slice(offset, offset + 40))!
    jsonString.lastIndex = offset
    const problem =
      found === ''
        ? 'it ends too early'
        : found === '"' && !jsonString.test(text)
          ? 'this text has no end, or a line break or backslash that JSON does not know'
          : `${found} can't be here`
    const advice = 'Put keys and texts in double quotes, commas between entries only, or save it as .yaml.'
    return `${placeAt(path, text, offset)}: the file is not JSON: ${problem}. ${advice}`
  }
}

/** The offset at which a text that is not JSON goes wrong. The messages of JSON.parse depend on the JavaScript engine. */
function jsonEnd(text: string): number {
  let offset = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = offset
    const found = pattern.exec(text)
    if (found) offset += found[0].length
    return found !== null
  }
  const takeToken = (pattern: RegExp): boolean => {
    take(/[ \t\r\n]*/y)
    return take(pattern)
  }
  const takeValue = (depth: number): boolean => {
    if (depth > maxJsonDepth || takeToken(jsonScalar)) return depth <= maxJsonDepth
    if (takeToken(/\{/y)) return takeEntries(() => takePair(depth + 1), /\}/y)
    return takeToken(/\[/y) && takeEntries(() => takeValue(depth + 1), /\]/y)
  }
  const takePair = (depth: number): boolean => takeToken(jsonString) && takeToken(/:/y) && takeValue(depth)
  const takeEntries = (takeEntry: () => boolean, end: RegExp): boolean => {
    if (takeToken(end)) return true
    do if (!takeEntry()) return false
    while (takeToken(/,/y))
    return takeToken(end)
  }
  takeValue(0)
  take(/[ \t\r\n]*/y)
  return offset
}

const maxJsonDepth = 500
const jsonString = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy
const jsonScalar = new RegExp(
  `${jsonString.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`,
  'uy',
)

/** Validates a file. Regular expressions are compiled by the engine that will use them. */
export async function checkFile(path: string, text: string, { value, at }: Unchecked): Promise<ReadFile> {
  if (text.includes('regex')) await loadPatterns()
  const { checkScenario } = await import('./check.ts')
  const checked = checkScenario(value)
  if ('scenario' in checked) return { path, scenario: checked.scenario, mistakes: [], at }
  return { path, scenario: undefined, mistakes: checked.mistakes, at }
}
