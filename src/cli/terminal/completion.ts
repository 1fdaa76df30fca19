import yargs, { type Options } from 'yargs'
import { exitCodes, type Command, type ListedCommand } from './command.ts'

/** `greenroom completion`: prints yargs' script for the user's shell. */
export const completion: Command = {
  options: {},
  removedFlags: Object.fromEntries(
    ['bash', 'zsh', 'fish'].map((shell) => [
      shell,
      'Write nothing there: the script is for the shell that SHELL names.',
    ]),
  ),
  epilogue: [
    'Prints a script for bash, zsh or fish, depending on the variable SHELL. The script calls the greenroom on your PATH. If only a project has greenroom, define greenroom() { npx greenroom "$@"; } in your shell first.',
  ],
  examples: [
    [
      'source <(greenroom completion)',
      'complete in this shell; add the line to ~/.bashrc or ~/.zshrc for all',
    ],
    ['greenroom completion > ~/.config/fish/completions/greenroom.fish', 'complete in fish'],
  ],
  run: async (_input, { print }) => {
    const script = await new Promise<string>((resolve) => {
      yargs()
        .scriptName('greenroom')
        .exitProcess(false)
        .completion('completion')
        .parse(['completion'], (_error: unknown, _flags: unknown, output: string) => resolve(output))
    })
    print(script)
    return exitCodes.ok
  },
}

/**
 * Lists candidates for the next word, one per line. Without candidates, shells complete file names.
 * @param words the words of the command line so far. The last one is being typed.
 */
export async function completeWords(
  words: readonly string[],
  commands: readonly ListedCommand[],
): Promise<string> {
  const own = words[0] === 'greenroom' ? words.slice(1) : words
  if (own.slice(0, -1).includes('--')) return ''
  const listed = own.length > 1 ? commands.find(({ name }) => name === own[0]) : undefined
  if (own.length > 1 && !listed) return ''
  const parser = yargs()
    .version(false)
    .help(false)
    .locale('en')
    .parserConfiguration({ 'boolean-negation': true })
  if (!listed) {
    for (const { name, summary } of commands) parser.command(name, summary)
    return (await parser.getCompletion([...own])).join('\n')
  }
  const [{ options }, scenarios] = await Promise.all([listed.load(), listScenarios()])
  for (const [name, option] of Object.entries(options))
    parser.option(name, toCompleted(name, option, scenarios))
  const isArgument = own.slice(-2).every((word) => !word.startsWith('-'))
  if (isArgument && listed.argument === '[files..]') return scenarios.join('\n')
  return (await parser.getCompletion([...own])).join('\n')
}

/** Completes a switch. If it is on by default, completes the flag that turns it off. */
function toCompleted(name: string, option: Options, scenarios: readonly string[]): Options {
  if (/\[default: true\]/.test(option.describe ?? '')) return { ...option, default: true }
  return name === 'scenario' || name === 'from' ? { ...option, choices: scenarios } : option
}

async function listScenarios(): Promise<string[]> {
  const { listShipped } = await import('../run/shipped.ts')
  return listShipped().map(({ name }) => name)
}
