import yargs, { type Argv } from 'yargs'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { version } from '../../version.ts'
import {
  helpWidth,
  UsageError,
  wordsFlag,
  wrappedFlag,
  type Command,
  type Parsed,
  type Terminal,
} from './command.ts'
import { splitWrapped } from './parse-quickly.ts'

/**
 * Reads a command line by all of yargs. In a file of its own, so that yargs is loaded only when something has to
 * be explained.
 *
 * @returns the text to show, for help and versions; else what was asked for.
 * @throws {UsageError} with what is wrong and what was probably meant.
 */
export function parseAndExplain(
  words: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
): Promise<Parsed | string> {
  const { before, wrapped } = splitWrapped(words)
  const asked = before.length === 0 ? ['--help'] : before
  const parser = parserOf(commands, terminal)
  return new Promise((resolve, reject) => {
    void parser.parse(asked, (error: Error | undefined, flags: Record<string, unknown>, output: string) => {
      const command = commands.find(({ name }) => name === words[0])
      if (error) return reject(new UsageError(explain(error.message, command)))
      if (output !== '') return resolve(output)
      if (!command) return reject(new UsageError(unknownCommand(asked[0]!, commands)))
      if (wrapped !== undefined && !command.wraps) return reject(new UsageError(wrapsNothing(command)))
      if (wrapped !== undefined && !wrapped[0]) return reject(new UsageError(namesNoCommand))
      const named = wordsIn(command, flags)
      resolve({ command, flags: { ...flags, [wordsFlag]: named, [wrappedFlag]: wrapped ?? [] } })
    })
  })
}

function parserOf(commands: readonly Command[], terminal: Terminal): Argv {
  let parser = yargs()
    .scriptName('greenroom')
    .usage('$0 — a local stand-in for an asynchronous generation gateway\n\n$0 COMMAND')
    .version(version)
    .help()
    .alias('help', 'h')
    .exitProcess(false)
    // What commands say of themselves is English, and so are the complaints that explain() reads.
    .locale('en')
    .wrap(Math.min(helpWidth, Number(terminal.environment['COLUMNS']) || helpWidth))
    .parserConfiguration({ 'camel-case-expansion': false })
  for (const command of commands) {
    parser = parser.command(command.name + placeFor(command), command.summary, (sub) =>
      describeWords(sub, command)
        .usage(
          `$0 ${command.name}${placeFor(command)}${command.wraps ? ' [-- COMMAND]' : ''} — ${command.summary}`,
        )
        .options(command.options)
        .epilogue(command.epilogue)
        .strict(),
    )
  }
  return parser
}

/** How words are written behind a command: `<files..>`. */
function placeFor({ words }: Command): string {
  if (!words) return ''
  const name = words.most > 1 ? `${words.name}..` : words.name
  return words.least > 0 ? ` <${name}>` : ` [${name}]`
}

function describeWords(parser: Argv, { words }: Command): Argv {
  return words ? parser.positional(words.name, { type: 'string', describe: words.describe }) : parser
}

function wordsIn({ words }: Command, flags: Record<string, unknown>): unknown[] {
  return words ? [flags[words.name] ?? []].flat() : []
}

function wrapsNothing({ name }: Command): string {
  return `greenroom ${name} runs no other command: leave out what stands behind "--". See greenroom ${name} --help.`
}

/** As of a variable that is not set: without a command, the reference client would be judged, and pass. */
const namesNoCommand = 'No command stands behind "--". Name one, or leave "--" out.'

/** yargs says what is wrong; we add what was probably meant. */
function explain(message: string, command: Command | undefined): string {
  const unknown = /^Unknown arguments?: (.+)$/m.exec(message)?.[1]?.split(', ')[0]
  if (!command) return `${message} See greenroom --help.`
  if (command.words && message.startsWith('Not enough non-option arguments'))
    return `greenroom ${command.name} wants${placeFor(command)}: ${command.words.describe}. See greenroom ${command.name} --help.`
  if (unknown === undefined) return `${message}\nSee greenroom ${command.name} --help.`
  const hint = didYouMean(unknown, Object.keys(command.options)).replace('"', '"--')
  return `Unknown argument "${unknown}".${hint} See greenroom ${command.name} --help.`
}

function unknownCommand(word: string, commands: readonly Command[]): string {
  const hint = didYouMean(
    word,
    commands.map(({ name }) => name),
  )
  return `There is no command "${word}".${hint} See greenroom --help.`
}
