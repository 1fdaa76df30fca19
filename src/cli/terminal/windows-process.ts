import { readFileSync, statSync } from 'node:fs'
import { win32 } from 'node:path'
import { UsageError, type Environment } from './command.ts'

/** The arguments of `spawn`. */
interface ProcessStart {
  readonly program: string
  readonly words: readonly string[]
  /** Whether the words are already quoted. Only Windows has a command line instead of words. */
  readonly windowsVerbatimArguments: boolean
}

/** The place in which a command is looked up. */
interface LookupPlace {
  readonly folder: string
  readonly environment: Environment
}

/** The part of a file system that a lookup needs. */
interface LookupFiles {
  readonly isFile: (path: string) => boolean
  readonly readText: (path: string) => string
}

const diskFiles: LookupFiles = {
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  readText: (path) => readFileSync(path, 'latin1'),
}

/**
 * Prepares a command for `spawn` without a shell. On Windows, `npm`, `npx` and all programs of packages are batch files,
 * which Node can't start. So cmd.exe starts them, and every argument is quoted for it.
 *
 * @throws {UsageError} for an argument that batch files can't receive.
 */
export function toProcessStart(
  [command = '', ...words]: readonly string[],
  place: LookupPlace,
  platform: NodeJS.Platform = process.platform,
  files: LookupFiles = diskFiles,
): ProcessStart {
  const asIs = { program: command, words, windowsVerbatimArguments: false }
  if (platform !== 'win32') return asIs
  const path = findProgram(command, place, files)
  // The system's error explains why.
  if (path === undefined) return asIs
  if (!isBatchFile(path)) return { ...asIs, program: path }
  const unsendable = words.find((word) => /[\r\n\0]/.test(word))
  if (unsendable !== undefined) {
    throw new UsageError(
      `Failed to run "${command}": ${path} is a batch file, which can't receive ${JSON.stringify(unsendable)}, an ` +
        'argument with a line break. Run its program directly, such as node with a script.',
    )
  }
  // If a batch file passes on all its arguments, cmd.exe parses them a second time.
  const passes = files.readText(path).includes('%*') ? 2 : 1
  const line = [escapeMeta(path), ...words.map((word) => quoteForCmd(word, passes))].join(' ')
  return {
    program: readVariable(place.environment, 'ComSpec') ?? systemProgram('cmd.exe', place.environment),
    // d: no AutoRun of the registry. s: only the outer quotes are removed.
    words: ['/d', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  }
}

/** The path of a Windows program. A bare name would first be looked up in the working folder. */
export function systemProgram(name: string, environment: Environment): string {
  return win32.join(readVariable(environment, 'SystemRoot') ?? 'C:\\Windows', 'System32', name)
}

/**
 * Sets variables. Windows ignores the case of their names. Of `Path` and `PATH`, Node takes the first in sort order, which
 * may be the old one.
 */
export function setVariables(
  environment: Environment,
  variables: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Environment {
  if (platform !== 'win32') return { ...environment, ...variables }
  const replaced = new Set(Object.keys(variables).map((name) => name.toUpperCase()))
  const others = Object.entries(environment).filter(([name]) => !replaced.has(name.toUpperCase()))
  return { ...Object.fromEntries(others), ...variables }
}

/** Reads a variable, ignoring case. A copy of the environment distinguishes case, unlike `process.env`. */
function readVariable(environment: Environment, name: string): string | undefined {
  const found = Object.keys(environment).find((each) => each.toUpperCase() === name.toUpperCase())
  return (found !== undefined && environment[found]) || undefined
}

/** Finds a program. Unlike cmd.exe, it does not search the working folder, so a project can't replace `npm`. */
function findProgram(
  command: string,
  { folder, environment }: LookupPlace,
  { isFile }: LookupFiles,
): string | undefined {
  const endings = (readVariable(environment, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(canStart)
  // The folder of npm.cmd also contains a script `npm` for other shells.
  const names = canStart(command) ? [command] : endings.map((ending) => command + ending)
  const folders = /[\\/:]/.test(command)
    ? [folder]
    : (readVariable(environment, 'PATH') ?? '').split(';').map((each) => each.replaceAll('"', ''))
  return folders
    .filter((each) => win32.isAbsolute(each))
    .flatMap((each) => names.map((name) => win32.resolve(each, name)))
    .find(isFile)
}

const canStart = (name: string): boolean => /\.(?:com|exe|bat|cmd)$/i.test(name)

const isBatchFile = (path: string): boolean => /\.(?:bat|cmd)$/i.test(path)

/**
 * Quotes for the C runtime of programs, then escapes the characters that cmd.exe interprets, like cross-spawn. The package itself would
 * add six packages to each installation.
 */
function quoteForCmd(word: string, passes: number): string {
  let quoted = `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  for (let pass = 0; pass < passes; pass++) quoted = escapeMeta(quoted)
  return quoted
}

const escapeMeta = (text: string): string => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
