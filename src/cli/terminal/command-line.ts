import yargs, { type Argv } from 'yargs'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { version } from '../../version.ts'
import { check } from '../inspect/check.ts'
import { explain } from '../inspect/explain.ts'
import { inspect } from '../inspect/inspect.ts'
import { replay } from '../inspect/replay.ts'
import { ffmpeg } from '../project/ffmpeg.ts'
import { render } from '../project/render.ts'
import { audit } from '../run/audit.ts'
import { run } from '../run/run.ts'
import { serve } from '../serve/serve.ts'
import { exitCodes, FileError, formatError, UsageError } from './command.ts'
import type { Command, CommandInput, Environment, Terminal } from './command.ts'

const commands: readonly Command[] = [serve, run, check, explain, inspect, audit, replay, render, ffmpeg]

/** The width of help in columns, unless the terminal is narrower. */
const helpWidth = 110

/**
 * Parses a command line and runs its command. Nothing here touches the process.
 *
 * @param words the arguments, without program and script.
 * @returns the exit code.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const parsed = await parse(words, terminal.environment)
    if (typeof parsed === 'string') {
      terminal.print(parsed)
      return exitCodes.ok
    }
    const { command, input } = parsed
    const isBlockable = command.runsUserCode?.(input.flags, terminal.folder) ?? false
    return await ((isBlockable && terminal.runInWorker?.()) || command.run(input, terminal))
  } catch (error) {
    terminal.warn(formatError((error as Error).message))
    if (error instanceof UsageError) return exitCodes.usage
    return error instanceof FileError ? exitCodes.badFile : exitCodes.cannotStart
  }
}

/**
 * @returns help or the version as a text; otherwise the command to run.
 * @throws {UsageError} with what is wrong and what was probably meant.
 */
function parse(
  words: readonly string[],
  environment: Environment,
): Promise<{ command: Command; input: CommandInput } | string> {
  const separator = words.indexOf('--')
  const own = separator < 0 ? words : words.slice(0, separator)
  const wrapped = separator < 0 ? undefined : words.slice(separator + 1)
  return new Promise((resolve, reject) => {
    const parser = createParser(Number(environment['COLUMNS']) || helpWidth)
    const line = own.length === 0 ? ['--help'] : [...own]
    void parser.parse(line, (error: Error | undefined, flags: Record<string, unknown>, output: string) => {
      const command = commands.find(({ name }) => name === words[0])
      if (error) return reject(new UsageError(explainMistake(error.message, command)))
      if (output !== '') return resolve(output)
      if (!command) return reject(new UsageError(explainUnknown(line[0]!)))
      const problem = wrapped && explainWrapped(command, wrapped)
      if (problem !== undefined) return reject(new UsageError(problem))
      const args = command.positional ? [flags[command.positional.name] ?? []].flat().map(String) : []
      resolve({ command, input: { flags, args, wrapped: wrapped ?? [] } })
    })
  })
}

function createParser(columns: number): Argv {
  const parser = yargs()
    .scriptName('greenroom')
    .usage('$0: a local simulator of an asynchronous generation gateway\n\n$0 COMMAND')
    .version(version)
    .help()
    .alias('help', 'h')
    .exitProcess(false)
    // Summaries are English, and explainMistake() reads messages of yargs.
    .locale('en')
    .wrap(Math.min(helpWidth, columns))
    .parserConfiguration({ 'camel-case-expansion': false })
  for (const command of commands) {
    const { name, summary, options, positional, wrapsCommand = false, epilogue } = command
    const place = formatPositional(command)
    parser.command(name + place, summary, (sub) => {
      if (positional) sub.positional(positional.name, { type: 'string', describe: positional.describe })
      return sub
        .usage(`$0 ${name}${place}${wrapsCommand ? ' [-- COMMAND]' : ''}\n\n${summary}`)
        .options(options)
        .epilogue(epilogue.join('\n\n'))
        .strict()
    })
  }
  return parser
}

/** Such as ` <files..>`, as yargs takes it and prints it. */
function formatPositional({ positional }: Command): string {
  return positional ? ` <${positional.name}${positional.isList ? '..' : ''}>` : ''
}

/** yargs says what is wrong; this adds what was probably meant. */
function explainMistake(message: string, command: Command | undefined): string {
  if (!command) return `${message} See greenroom --help.`
  const help = `See greenroom ${command.name} --help.`
  if (command.positional && message.startsWith('Not enough non-option arguments'))
    return `greenroom ${command.name} needs${formatPositional(command)}: ${command.positional.describe}. ${help}`
  const unknown = /^Unknown arguments?: (.+)$/m.exec(message)?.[1]?.split(', ')[0]
  if (unknown === undefined) return `${message}\n${help}`
  const hint = didYouMean(unknown, Object.keys(command.options)).replace('"', '"--')
  return `Unknown argument "${unknown}".${hint} ${help}`
}

function explainUnknown(word: string): string {
  const names = commands.map(({ name }) => name)
  return `There is no command "${word}".${didYouMean(word, names)} See greenroom --help.`
}

/** An empty command is probably an unset variable: without the mistake, the reference client would run and pass. */
function explainWrapped({ name, wrapsCommand }: Command, wrapped: readonly string[]): string | undefined {
  if (!wrapsCommand)
    return `greenroom ${name} runs no other command: remove "--" and what follows. See greenroom ${name} --help.`
  return wrapped[0] ? undefined : 'There is no command after "--". Add one, or remove "--".'
}
