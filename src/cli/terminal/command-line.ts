import type { Argv } from 'yargs'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { version } from '../../version.ts'
import {
  type Command,
  type CommandInput,
  exitCodes,
  formatError,
  isFileError,
  type ListedCommand,
  readTextFlags,
  type Terminal,
  UsageError,
} from './command.ts'
import { argumentName, commands, commandSynonyms } from './commands.ts'
import { formatHelp, formatOverview } from './help.ts'
import { formatProgram } from './program.ts'
import { textStyle } from './style.ts'

/**
 * Parses a command line and runs its command. Does not access the process.
 *
 * @param words the arguments, without program and script.
 * @returns the exit code.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const parsed = await parseCommandLine(words, terminal)
    if (typeof parsed === 'string') {
      terminal.print(parsed)
      return exitCodes.ok
    }
    const { command, input } = parsed
    const isBlockable = command.runsUserCode?.(input.flags, terminal.folder) ?? false
    return await ((isBlockable && terminal.runInWorker?.()) || runWithApis(command, input, terminal))
  } catch (error) {
    terminal.warn(formatError((error as Error).message))
    if (error instanceof UsageError) return exitCodes.usage
    return isFileError(error) ? exitCodes.badFile : exitCodes.cannotStart
  }
}

/** Runs a command. Its `--api` is loaded first, since other files may name the operations of that API. */
async function runWithApis(command: Command, input: CommandInput, terminal: Terminal): Promise<number> {
  // `init` takes one word, which it loads itself if it is no API of the gateway.
  if (!command.options['api']?.array) return command.run(input, terminal)
  const named = readTextFlags(input.flags, 'api')
  // Only these commands don't read the config file itself.
  const ofProject = command.options['config'] ? [] : await apisOfProject(terminal.folder)
  if (named.length === 0 && ofProject.length === 0) return command.run(input, terminal)
  const { loadApis } = await import('../../files/code/load-apis.ts')
  const api = [...new Set([...(await loadApis(named, terminal.folder)), ...ofProject])]
  return command.run({ ...input, flags: { ...input.flags, api } }, terminal)
}

/** The absolute paths of the APIs that the config file of the project names. They are loaded. */
async function apisOfProject(folder: string): Promise<string[]> {
  const { findConfig, readConfig } = await import('../serve/config-file.ts')
  const path = findConfig(folder, undefined)
  if (path === undefined) return []
  const { apis = [] } = await readConfig(path)
  return apis.filter((api) => typeof api === 'string')
}

/**
 * Parses a command line.
 *
 * @returns help or the version as a text; otherwise the command to run.
 * @throws {UsageError} with the mistake and a suggestion.
 */
export async function parseCommandLine(
  words: readonly string[],
  terminal: Pick<Terminal, 'environment' | 'screen'>,
): Promise<{ command: Command; input: CommandInput } | string> {
  const separator = words.indexOf('--')
  const own = separator < 0 ? words : words.slice(0, separator)
  const isHelp = own.length === 0 || own.includes('--help') || own.includes('-h') || own[0] === 'help'
  const [name, ...rest] = own.filter((word) => !['help', '--help', '-h'].includes(word) || !isHelp)
  if (own.includes('--version') || own[0] === '-v') return version
  const program = formatProgram(terminal.environment)
  const listed = commands.find((each) => each.name === name)
  if (!listed) {
    if (name === undefined) return formatOverview(commands, textStyle(terminal))
    throw new UsageError(`${explainUnknown(name, program)} See ${program} --help.`)
  }
  const command = await listed.load()
  if (isHelp) return formatHelp(listed, command, textStyle(terminal))
  const help = `See ${program} ${listed.name} --help.`
  checkSwitches(rest, command, help)
  const flags = await parseWords(await createParser(listed, command), rest, (message) =>
    explain(message, { words: rest, listed, command, help }),
  )
  const wrapped = separator < 0 ? undefined : words.slice(separator + 1)
  if (wrapped) checkWrapped(wrapped, { listed, command, help })
  const argument = argumentName(listed)
  const args = argument === undefined ? [] : [flags[argument] ?? []].flat().map(String)
  return { command, input: { flags, args, wrapped: wrapped ?? [] } }
}

/** Refuses a value of a flag that takes none: yargs takes any word as false. */
function checkSwitches(words: readonly string[], { options }: Command, help: string): void {
  for (const word of words) {
    const [, flag = '', value = ''] = /^--(?:no-)?([^=]+)=(.*)$/.exec(word) ?? []
    if (options[flag]?.type !== 'boolean' || value === 'true' || value === 'false') continue
    throw new UsageError(`--${flag} is "${value}": it takes no value. ${help}`)
  }
}

function explainUnknown(name: string, program: string): string {
  if (name.startsWith('-')) return `"${name}" comes before the command: write ${program} <command> ${name}.`
  const names = commands.map((each) => each.name)
  return `There is no command "${name}".${didYouMean(commandSynonyms.get(name) ?? name, names)}`
}

/** Makes the command the default of its parser, because yargs is slower with commands that it looks up by name. */
async function createParser(listed: ListedCommand, { options }: Command): Promise<Argv> {
  const { default: yargs } = await import('yargs')
  const argument = argumentName(listed)
  return (
    yargs()
      .version(false)
      .help(false)
      .exitProcess(false)
      // explain() reads messages of yargs.
      .locale('en')
      .parserConfiguration({ 'camel-case-expansion': false })
      .command(`$0 ${listed.argument ?? ''}`.trim(), false, (sub) => {
        if (argument !== undefined) {
          sub.positional(argument, { type: 'string' })
          if (listed.argument!.startsWith('<')) sub.demandOption(argument)
        }
        return sub.options(options).strict()
      })
  )
}

/** @param explainMistake adds a suggestion to a message of yargs. */
function parseWords(
  parser: Argv,
  words: readonly string[],
  explainMistake: (message: string) => string,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    void parser.parse([...words], (error: Error | undefined, flags: Record<string, unknown>) => {
      if (error) reject(new UsageError(explainMistake(error.message)))
      else resolve(flags)
    })
  })
}

/** A command line whose command is known. */
interface KnownCommand {
  readonly listed: ListedCommand
  readonly command: Command
  /** A sentence that names the help of the command. */
  readonly help: string
}

function explain(
  message: string,
  { words, listed, command, help }: KnownCommand & { readonly words: readonly string[] },
): string {
  const { options, argumentHelp, flagAdvice = {} } = command
  if (argumentHelp !== undefined && message.startsWith('Not enough non-option arguments'))
    return `greenroom ${listed.name} needs ${listed.argument}: ${argumentHelp}. ${help}`
  const choice = /^\s*Argument: (\S+), Given: (.*), Choices: (.*)$/m.exec(message)
  if (choice) {
    const [, flag = '', given = '', known = ''] = choice
    const hint = didYouMean(given.replaceAll('"', ''), (options[flag]?.choices ?? []).map(String))
    return `--${flag} is ${given}: use one of ${known}.${hint} ${help}`
  }
  const allUnknown = /^Unknown arguments?: (.+)$/m.exec(message)?.[1]?.split(', ') ?? []
  const advised = allUnknown.find((name) => Object.hasOwn(flagAdvice, name))
  if (advised !== undefined) {
    const written =
      [`--no-${advised}`, `--${advised}`, advised].find((word) => words.includes(word)) ?? `--${advised}`
    return `${written} is no flag of greenroom ${listed.name}. ${flagAdvice[advised]} ${help}`
  }
  const [unknown] = allUnknown
  if (unknown === undefined) {
    const missing = /^Missing required arguments?: (.+)$/m.exec(message)?.[1]
    if (missing === undefined) return `${message}. ${help}`
    return `greenroom ${listed.name} needs --${missing.replaceAll(', ', ' and --')}. ${help}`
  }
  if (words.includes(unknown))
    return `Unexpected argument "${unknown}": greenroom ${listed.name} takes ${listed.argument ?? 'flags only'}. ${help}`
  const hint = didYouMean(unknown, Object.keys(options)).replace('"', '"--')
  return `Unknown flag "${unknown.length === 1 ? '-' : '--'}${unknown}".${hint} ${help}`
}

/** Refuses an empty command, which is probably an unset variable. Otherwise, the reference client would run and pass. */
function checkWrapped(wrapped: readonly string[], { listed, command, help }: KnownCommand): void {
  if (!command.wrapsCommand) {
    throw new UsageError(
      `greenroom ${listed.name} runs no other command: remove "--" and what follows. ${help}`,
    )
  }
  if (!wrapped[0]) throw new UsageError('There is no command after "--". Add one, or remove "--".')
}
