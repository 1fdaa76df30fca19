import { parseArgs } from 'node:util'
import { wordsFlag, wrappedFlag, type Command, type Parsed } from './command.ts'

/**
 * Reads a plain command line by Node's own parser. To load yargs takes longer than to start a server, and it is needed only
 * when something has to be explained.
 *
 * @returns undefined when it is, for help, versions and mistakes, and where yargs might read a word in another way.
 */
export function parseQuickly(words: readonly string[], commands: readonly Command[]): Parsed | undefined {
  const command = commands.find(({ name }) => name === words[0])
  if (!command) return undefined
  const { before, wrapped } = splitWrapped(words.slice(1))
  if (wrapped !== undefined && (!command.wraps || !wrapped[0])) return undefined
  const parsed = before.every(isPlain) ? parsedStrictly(before, command) : undefined
  if (!parsed) return undefined
  const { values, positionals } = parsed
  const flags = Object.entries(values).map(
    ([name, given = []]) => [name, meant(command.options[name], given)] as const,
  )
  const { least, most } = command.words ?? { least: 0, most: 0 }
  const isComplete =
    flags.every(([, value]) => value !== undefined) &&
    Object.entries(command.options).every(([name, { demandOption }]) => !demandOption || name in values) &&
    positionals.length >= least &&
    positionals.length <= most
  if (!isComplete) return undefined
  return {
    command,
    flags: { ...Object.fromEntries(flags), [wordsFlag]: positionals, [wrappedFlag]: wrapped ?? [] },
  }
}

/** Whether a word says something, is not quoted once more, and not what a switch may be set to, as in `--quiet false`. */
function isPlain(word: string): boolean {
  return !/^-?$|=$|['"]|^(?:true|false)$/.test(word)
}

type Given = (string | boolean)[]

function parsedStrictly(
  args: string[],
  command: Command,
): { values: Record<string, Given | undefined>; positionals: string[] } | undefined {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type }]) => [
      name,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const), multiple: true as const },
    ]),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true })
  } catch {
    return undefined
  }
}

/** What a flag is set to; undefined where it can't be that, or is said twice. */
function meant(option: Command['options'][string] | undefined, given: Given): unknown {
  if (option?.array) return given
  const [value] = given
  if (given.length > 1 || (option?.choices && !option.choices.includes(value as string))) return undefined
  if (option?.type !== 'number') return value
  return /^-?\d+(?:\.\d+)?$/.test(String(value)) ? Number(value) : undefined
}

/** What stands behind the first `--` is another command's, down to its last sign. */
export function splitWrapped(words: readonly string[]): { before: string[]; wrapped: string[] | undefined } {
  const at = words.indexOf('--')
  if (at < 0) return { before: [...words], wrapped: undefined }
  return { before: words.slice(0, at), wrapped: words.slice(at + 1) }
}
