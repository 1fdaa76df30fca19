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
  const { parseYaml } = await import('./yaml-text.ts')
  const parsed = parseYaml(text)
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
    const before = text.slice(0, index).split('\n')
    const place = `${path}:${before.length}:${before.at(-1)!.length + 1}`
    return `${place}: JSON has no comments. Remove it, or save the file as .yaml and write # in front of comments.`
  }
  return undefined
}

/** Validates a file. Regular expressions are compiled by the engine that will use them. */
export async function checkFile(path: string, text: string, { value, at }: Unchecked): Promise<ReadFile> {
  if (text.includes('regex')) await loadPatterns()
  const { checkScenario } = await import('./check.ts')
  const checked = checkScenario(value)
  if ('scenario' in checked) return { path, scenario: checked.scenario, mistakes: [], at }
  return { path, scenario: undefined, mistakes: checked.mistakes, at }
}
