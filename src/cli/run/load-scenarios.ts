import { relative, resolve } from 'node:path'
import type { LoadedScenario } from '../../scenario/files/types.ts'
import { ScenarioError } from '../../scenario/files/error.ts'
import { FileError, type Terminal } from '../terminal/command.ts'

/** A scenario with the name of its file, as it is shown. */
export interface NamedScenario {
  readonly file: string
  readonly loaded: LoadedScenario
}

/**
 * Loads files, all or none of them. The readers of YAML and of the schema are loaded only now.
 * @throws {FileError} with every mistake in every file: `file:line:column: …`.
 */
export async function loadScenarios(
  files: readonly string[],
  { folder }: Pick<Terminal, 'folder'>,
): Promise<NamedScenario[]> {
  const { loadScenario } = await import('../../scenario/files/load.ts')
  const loaded: NamedScenario[] = []
  const complaints: string[] = []
  for (const file of files) {
    try {
      loaded.push({ file: shownPath(folder, file), loaded: await loadScenario(resolve(folder, file)) })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      complaints.push(error.message)
    }
  }
  if (complaints.length > 0) throw new FileError(complaints.join('\n'))
  return loaded
}

/** A path as short as it can be written from a folder. */
export function shownPath(folder: string, path: string): string {
  const short = relative(folder, resolve(folder, path))
  return short.startsWith('..') ? path : short
}
