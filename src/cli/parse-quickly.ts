import { wordsFlag, wrappedFlag, type Command, type Parsed } from './command.ts'

/**
 * Reads a command line by yargs' own parser alone. All of yargs takes longer to load than a server takes to
 * start, and it is needed only when something has to be explained.
 *
 * @returns undefined when it is: for help, versions, and mistakes.
 */
export async function parseQuickly(
  words: readonly string[],
  commands: readonly Command[],
): Promise<Parsed | undefined> {
  const command = commands.find(({ name }) => name === words[0])
  if (!command) return undefined
  const { default: parser } = await import('yargs-parser')
  const options = Object.entries(command.options)
  const ofType = (type: string): string[] =>
    options.flatMap(([name, option]) => (option.type === type ? [name] : []))
  const { before, wrapped } = splitWrapped(words.slice(1))
  const { argv, error } = parser.detailed(before, {
    string: [...ofType('string'), ...options.flatMap(([name, { choices }]) => (choices ? [name] : []))],
    number: ofType('number'),
    boolean: ofType('boolean'),
    array: options.flatMap(([name, { array }]) => (array ? [{ key: name, string: true }] : [])),
    narg: Object.fromEntries(options.flatMap(([name, { nargs }]) => (nargs ? [[name, nargs]] : []))),
    configuration: { 'camel-case-expansion': false },
  })
  const { _: others, ...flags } = argv
  const known = Object.keys(flags).every((name) => fits(command.options[name], flags[name]))
  const complete = options.every(([name, { demandOption }]) => !demandOption || flags[name] !== undefined)
  const { least, most } = command.words ?? { least: 0, most: 0 }
  const named = others.length >= least && others.length <= most
  if (!known || !complete || !named || error !== null) return undefined
  if (wrapped !== undefined && (!command.wraps || !wrapped[0])) return undefined
  return { command, flags: { ...flags, [wordsFlag]: others, [wrappedFlag]: wrapped ?? [] } }
}

/** What stands behind the first `--` is another command's, down to its last sign. */
export function splitWrapped(words: readonly string[]): { before: string[]; wrapped: string[] | undefined } {
  const at = words.indexOf('--')
  if (at < 0) return { before: [...words], wrapped: undefined }
  return { before: words.slice(0, at), wrapped: words.slice(at + 1) }
}

function fits(option: Command['options'][string] | undefined, value: unknown): boolean {
  return option !== undefined && (!option.choices || option.choices.includes(value as string))
}
