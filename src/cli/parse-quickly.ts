import type { Command, Parsed } from './command.ts'

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
  const named = (type: string): string[] =>
    options.flatMap(([name, option]) => (option.type === type ? [name] : []))
  const { argv, error } = parser.detailed(words.slice(1), {
    string: [...named('string'), ...options.flatMap(([name, { choices }]) => (choices ? [name] : []))],
    number: named('number'),
    boolean: named('boolean'),
    array: options.flatMap(([name, { array }]) => (array ? [{ key: name, string: true }] : [])),
    narg: Object.fromEntries(options.flatMap(([name, { nargs }]) => (nargs ? [[name, nargs]] : []))),
    configuration: { 'camel-case-expansion': false },
  })
  const { _: others, ...flags } = argv
  const known = Object.keys(flags).every((name) => fits(command.options[name], flags[name]))
  const complete = options.every(([name, { demandOption }]) => !demandOption || flags[name] !== undefined)
  return known && complete && others.length === 0 && error === null ? { command, flags } : undefined
}

function fits(option: Command['options'][string] | undefined, value: unknown): boolean {
  return option !== undefined && (!option.choices || option.choices.includes(value as string))
}
