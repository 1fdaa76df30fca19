import yargs, { type Argv } from 'yargs'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { version } from '../../version.ts'
import {
  type Command,
  type CommandInput,
  type Environment,
  exitCodes,
  FileError,
  formatError,
  type Terminal,
  UsageError,
} from './command.ts'

/** What the list of commands needs of a command. The rest is loaded on use. */
export interface ListedCommand {
  readonly name: string
  /** The positional argument as yargs takes and prints it: `<one>`, `<several..>` or `[none or several..]`. */
  readonly argument?: string
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** All commands, in the order of the help. */
export const commands: readonly ListedCommand[] = [
  {
    name: 'init',
    summary: 'Write a first config, scenario, test and CI workflow into a project',
    load: async () => (await import('../project/init.ts')).init,
  },
  {
    name: 'serve',
    summary: 'Start the simulator',
    load: async () => (await import('../serve/serve.ts')).serve,
  },
  {
    name: 'watch',
    argument: '[url]',
    summary: 'Show the request log of a running simulator',
    load: async () => (await import('../serve/watch.ts')).watch,
  },
  {
    name: 'run',
    argument: '[files..]',
    summary: 'Run scenarios against a command (or the reference client) and report pass/fail',
    load: async () => (await import('../run/run.ts')).run,
  },
  {
    name: 'explore',
    argument: '[files..]',
    summary: "Search for a client's mistakes with one fault at a time, and write each as a scenario",
    load: async () => (await import('../run/explore/explore.ts')).explore,
  },
  {
    name: 'check',
    argument: '[files..]',
    summary: 'Check scenario files and try them with the reference client',
    load: async () => (await import('../inspect/check.ts')).check,
  },
  {
    name: 'scenarios',
    summary: 'List the scenarios that come with greenroom',
    load: async () => (await import('../inspect/scenarios.ts')).scenarios,
  },
  {
    name: 'explain',
    argument: '<number>',
    summary: 'Explain how a request was handled, rule by rule',
    load: async () => (await import('../inspect/explain.ts')).explain,
  },
  {
    name: 'inspect',
    argument: '<file>',
    summary: 'Show which task, prompt and seed an image or video was made from',
    load: async () => (await import('../inspect/inspect.ts')).inspect,
  },
  {
    name: 'audit',
    summary: 'Audit client behaviour: invariants and statistics',
    load: async () => (await import('../run/audit.ts')).audit,
  },
  {
    name: 'new',
    argument: '<file>',
    summary: 'Write a scenario to begin with',
    load: async () => (await import('../project/new.ts')).newScenario,
  },
  {
    name: 'record',
    summary: 'Record a real gateway as a scenario, between it and a client',
    load: async () => (await import('../inspect/record.ts')).record,
  },
  {
    name: 'replay',
    argument: '<journal>',
    summary: 'Replay a recording and diff the responses',
    load: async () => (await import('../inspect/replay.ts')).replay,
  },
  {
    name: 'show',
    argument: '<journal>',
    summary:
      'Show a recording in the browser: its tasks on a time axis, its requests and what was wrong with them',
    load: async () => (await import('../inspect/show.ts')).show,
  },
  {
    name: 'render',
    summary: 'Render a clip to a file',
    load: async () => (await import('../project/render.ts')).render,
  },
  {
    name: 'ffmpeg',
    summary: 'Download and check the encoder of ffmpeg-static',
    load: async () => (await import('../project/ffmpeg.ts')).ffmpeg,
  },
]

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
async function parse(
  words: readonly string[],
  environment: Environment,
): Promise<{ command: Command; input: CommandInput } | string> {
  const separator = words.indexOf('--')
  const own = separator < 0 ? words : words.slice(0, separator)
  const parser = createParser(Number(environment['COLUMNS']) || helpWidth)
  const [name = '--help', ...rest] = own
  const listed = commands.find((each) => each.name === name)
  if (!listed) {
    parser.usage('$0: a local simulator of an asynchronous generation gateway\n\n$0 COMMAND')
    for (const each of commands) parser.command(formatUsage(each), each.summary)
    const { output } = await parseWords(parser, [name, ...rest], () => 'See greenroom --help.')
    if (output !== '') return output
    const names = commands.map((each) => each.name)
    throw new UsageError(`There is no command "${name}".${didYouMean(name, names)} See greenroom --help.`)
  }
  const command = await listed.load()
  addCommand(parser, listed, command)
  const { flags, output } = await parseWords(parser, rest, (message) => explain(message, listed, command))
  if (output !== '') return output
  const wrapped = separator < 0 ? undefined : words.slice(separator + 1)
  if (wrapped) checkWrapped(wrapped, name, command)
  const argument = argumentName(listed)
  const args = argument === undefined ? [] : [flags[argument] ?? []].flat().map(String)
  return { command, input: { flags, args, wrapped: wrapped ?? [] } }
}

function createParser(columns: number): Argv {
  return (
    yargs()
      .scriptName('greenroom')
      .version(version)
      .help()
      .alias('help', 'h')
      .exitProcess(false)
      // Summaries are English, and explain() reads messages of yargs.
      .locale('en')
      .wrap(Math.min(helpWidth, columns))
      .parserConfiguration({ 'camel-case-expansion': false })
  )
}

/** Adds a command as the default of its parser: for one that it looks up by name, yargs formats the help at each run. */
function addCommand(parser: Argv, listed: ListedCommand, command: Command): void {
  const { options, argumentHelp, wrapsCommand = false, epilogue } = command
  const argument = argumentName(listed)
  parser.usage(`$0 ${formatUsage(listed)}${wrapsCommand ? ' [-- COMMAND]' : ''}\n\n${listed.summary}`)
  parser.command(`$0 ${listed.argument ?? ''}`.trim(), false, (sub) => {
    if (argument !== undefined) {
      sub.positional(argument, { type: 'string', describe: argumentHelp })
      if (listed.argument!.startsWith('<')) sub.demandOption(argument)
    }
    return sub.options(options).epilogue(epilogue.join('\n\n')).strict()
  })
}

/** @param explainMistake adds to a message of yargs what was probably meant. */
function parseWords(
  parser: Argv,
  words: readonly string[],
  explainMistake: (message: string) => string,
): Promise<{ flags: Record<string, unknown>; output: string }> {
  return new Promise((resolve, reject) => {
    void parser.parse(
      [...words],
      (error: Error | undefined, flags: Record<string, unknown>, output: string) => {
        if (error) reject(new UsageError(explainMistake(error.message)))
        else resolve({ flags, output })
      },
    )
  })
}

const formatUsage = ({ name, argument }: ListedCommand): string =>
  argument === undefined ? name : `${name} ${argument}`

const argumentName = ({ argument = '' }: ListedCommand): string | undefined => /\w+/.exec(argument)?.[0]

function explain(message: string, listed: ListedCommand, { options, argumentHelp }: Command): string {
  const help = `See greenroom ${listed.name} --help.`
  if (argumentHelp !== undefined && message.startsWith('Not enough non-option arguments'))
    return `greenroom ${listed.name} needs ${listed.argument}: ${argumentHelp}. ${help}`
  const choice = /^\s*Argument: (\S+), Given: (.*), Choices: (.*)$/m.exec(message)
  if (choice) return `--${choice[1]} is ${choice[2]}: use one of ${choice[3]}. ${help}`
  const unknown = /^Unknown arguments?: (.+)$/m.exec(message)?.[1]?.split(', ')[0]
  if (unknown === undefined) return `${message}\n${help}`
  const hint = didYouMean(unknown, Object.keys(options)).replace('"', '"--')
  return `Unknown argument "${unknown}".${hint} ${help}`
}

/** An empty command is probably an unset variable: without the mistake, the reference client would run and pass. */
function checkWrapped(wrapped: readonly string[], name: string, { wrapsCommand }: Command): void {
  if (!wrapsCommand) {
    throw new UsageError(
      `greenroom ${name} runs no other command: remove "--" and what follows. See greenroom ${name} --help.`,
    )
  }
  if (!wrapped[0]) throw new UsageError('There is no command after "--". Add one, or remove "--".')
}
