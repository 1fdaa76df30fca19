import { loadPatterns } from '../scenario/match/patterns.ts'
import type { Told } from './check.ts'
import { ScenarioError, type Position } from './error.ts'
import type { FileScenario } from './types.ts'

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

/** What a file says before anybody has checked it. */
export type Said = Pick<ReadFile, 'at'> & { value: unknown }

/**
 * Parses YAML or JSON.
 * @param path what it is called in complaints.
 * @throws {ScenarioError} with all that YAML doesn't take.
 */
export async function parseText(path: string, text: string): Promise<Said> {
  const { parseYaml } = await import('./yaml-text.ts')
  const parsed = parseYaml(text)
  if ('mistakes' in parsed) {
    const told = parsed.mistakes.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`)
    throw new ScenarioError(told.join('\n'))
  }
  const at: ReadFile['at'] = (place, isKey = false) => ({ file: path, ...parsed.position(place, isKey) })
  return { value: parsed.value ?? {}, at }
}

/** Checks what a file says. Regular expressions are tried in the engine that will use them. */
export async function checkFile(path: string, text: string, { value, at }: Said): Promise<ReadFile> {
  if (text.includes('regex')) await loadPatterns()
  const { checkScenario } = await import('./check.ts')
  const checked = checkScenario(value)
  if ('scenario' in checked) return { path, scenario: checked.scenario, mistakes: [], at }
  return { path, scenario: undefined, mistakes: checked.mistakes, at }
}
