import { readFile } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { clockOver } from '../../engine/clock/clock-settings.ts'
import { maskKey } from '../../gateway/accounts/keys.ts'
import type { LoadedScenario } from '../../files/types.ts'
import type { ServerOptions } from '../../server/start.ts'
import { clockOptions } from '../../simulator/options.ts'
import type { ClockOptions } from '../../scenario/vocabulary/types.ts'
import type { Config } from '../serve/config-file.ts'
import { findScenario } from './shipped.ts'
import { FileError, isFileError } from '../terminal/command.ts'

/** A scenario with its file's name for messages. */
export interface NamedScenario {
  readonly file: string
  readonly loaded: LoadedScenario
}

/** A mistake in a file. */
export interface FileMistake {
  readonly file: string
  readonly message: string
}

/** Thrown for invalid files, with the mistakes of each. */
export class InvalidScenarios extends FileError {
  readonly mistakes: readonly FileMistake[]

  constructor(mistakes: readonly FileMistake[]) {
    super(mistakes.map(({ message }) => message).join('\n'))
    this.mistakes = mistakes
  }
}

/**
 * Loads all files or none.
 *
 * @param files paths, or names of the package's scenarios.
 * @param apis the absolute paths of further APIs, which are loaded.
 * @throws {InvalidScenarios} with every mistake in every file: `file:line:column: …`.
 */
export async function loadScenarios(
  files: readonly string[],
  folder: string,
  apis: readonly string[] = [],
): Promise<NamedScenario[]> {
  const { loadScenarioWith } = await import('../../files/load.ts')
  const loaded: NamedScenario[] = []
  const mistakes: FileMistake[] = []
  for (const path of files) {
    const file = shortenPath(folder, path)
    try {
      loaded.push({ file, loaded: await loadScenarioWith(findScenario(path, folder), apis) })
    } catch (error) {
      if (!isFileError(error)) throw error
      const isProgram = error.message.includes(': exports no scenario.')
      const isPartOfCommand = isProgram || (files.length > 1 && error instanceof FileError)
      const message = error.message.replace(leadingPath, (found) =>
        found === resolve(folder, path) ? file : shortenPath(folder, found),
      )
      mistakes.push({ file, message: isPartOfCommand ? `${message} A command goes after "--".` : message })
    }
  }
  if (mistakes.length > 0) throw new InvalidScenarios(mistakes)
  return loaded
}

/** The absolute path at the start of a line. */
const leadingPath = /(?<=^|^Failed to read )(?:\/|[A-Za-z]:[\\/]).*?(?=:\d+:|: )/gm

/** Shorter keys are invented, and may be parts of words. */
const minMaskedLength = 8

/** The present files of a scenario for a report, with keys masked. Files that can't be read are omitted. */
export async function readScenarioTexts(
  { files, scenario }: LoadedScenario,
  folder: string,
): Promise<{ file: string; text: string }[]> {
  const keys = (scenario.config?.keys ?? [])
    .map((key) => (typeof key === 'string' ? key : key.key))
    .filter((key) => key.length >= minMaskedLength)
  const texts = await Promise.all(
    files.map(async (path) => {
      const text = await readFile(path, 'utf8').catch(() => undefined)
      if (text === undefined) return []
      const masked = keys.reduce((rest, key) => rest.replaceAll(key, maskKey(key)), text)
      return [{ file: shortenPath(folder, path), text: masked }]
    }),
  )
  return texts.flat()
}

/** A path relative to a folder, unless it is outside of it. */
export function shortenPath(folder: string, path: string): string {
  const short = relative(folder, resolve(folder, path))
  // Slashes work in every shell; a backslash is special in most.
  return short.startsWith('..') || isAbsolute(short) ? path : short.split(sep).join('/')
}

/**
 * The options of a server that plays a scenario. Defaults: a free port, a clock in mode `auto`, and clips in quality
 * `fast`.
 *
 * @param flags the config of the command line. It overrides the file.
 */
export function scenarioOptions(
  { scenario }: LoadedScenario,
  flags: Config,
): ServerOptions & { clock: ClockOptions } {
  const { config = {}, seed, clock, throttles = [], rules = [] } = scenario
  const { env: _forCommands, ...options } = config as Config
  return {
    port: 0,
    quality: 'fast',
    ...options,
    ...(seed !== undefined && { seed }),
    ...flags,
    // A loaded scenario has those of the command line, too.
    ...(options.apis && { apis: options.apis }),
    clock: clockOptions({ clock: clockOver(clock ?? {}, flags.clock ?? {}) }, 'auto'),
    rules,
    throttles,
  }
}
