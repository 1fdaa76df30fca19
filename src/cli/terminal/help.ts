import { groupBy } from '../../engine/group-by.ts'
import type { Options } from 'yargs'
import { version } from '../../version.ts'
import type { Command, Example, ListedCommand } from './command.ts'
import { argumentName } from './commands.ts'
import { formatCommands, colourText, wrap, type TextStyle } from './style.ts'

/** Two columns under a heading. */
interface Section {
  readonly title: string
  readonly rows: readonly (readonly [term: string, text: string])[]
}

/** Wider terms would leave too little space for the text on a narrow terminal. */
const maxTermColumns = 30

/** The help of `greenroom --help`. */
export function formatOverview(commands: readonly ListedCommand[], style: TextStyle): string {
  const sections = [...groupBy(commands, ({ group }) => group)].map(([title, listed]) => ({
    title,
    rows: listed.map((each) => [formatUsage(each), each.summary] as const),
  }))
  const blocks = [
    wrap(`greenroom ${version}: a local simulator of an asynchronous generation gateway`, style.columns),
    usageLine('greenroom <command> [flags]', style),
    ...formatSections([...sections, { title: 'Flags', rows: commonFlags }], style),
    formatCommands('Examples', overviewExamples, style),
    wrap('greenroom <command> --help explains a command and its flags.', style.columns),
  ]
  return blocks.join('\n\n')
}

export const overviewExamples: readonly Example[] = [
  ['greenroom init', 'write a first scenario and a first test'],
  ['greenroom serve', 'start the simulator on port 4646'],
]

const commonFlags: Section['rows'] = [
  ['-h, --help', 'Show this help'],
  ['--version', 'Show the version'],
]

/** The help of a command. */
export function formatHelp(listed: ListedCommand, command: Command, style: TextStyle): string {
  const { argumentHelp, wrapsCommand = false, epilogue, examples } = command
  const visible = Object.entries(command.options).filter(([, { hidden }]) => hidden !== true)
  const ownFlags = [...groupBy(visible, ([, { group }]) => group ?? 'Flags')].map(([title, flags]) => ({
    title,
    rows: flags.map(formatFlag),
  }))
  const argument = argumentName(listed)
  const sections: Section[] = [
    ...(argument === undefined
      ? []
      : [{ title: 'Arguments', rows: [[listed.argument!, argumentHelp ?? ''] as const] }]),
    ...ownFlags.toSorted((one, other) => Number(other.title === 'Flags') - Number(one.title === 'Flags')),
    { title: 'Help', rows: commonFlags },
  ]
  const usage = `greenroom ${formatUsage(listed)} [flags]${wrapsCommand ? ' [-- COMMAND]' : ''}`
  const blocks = [
    wrap(listed.summary, style.columns),
    usageLine(usage, style),
    ...formatSections(sections, style),
    ...epilogue.map((paragraph) => wrap(paragraph, style.columns)),
    formatCommands(examples.length === 1 ? 'Example' : 'Examples', examples, style),
  ]
  return blocks.join('\n\n')
}

const formatUsage = ({ name, argument }: ListedCommand): string =>
  argument === undefined ? name : `${name} ${argument}`

function usageLine(usage: string, style: TextStyle): string {
  return `${heading('Usage', style)}  ${wrap(usage, style.columns - 7, 7)}`
}

/** Formats sections. The second column begins at the same position in all of them. */
function formatSections(sections: readonly Section[], style: TextStyle): string[] {
  const terms = sections.flatMap(({ rows }) => rows.map(([term]) => term.length))
  const width = Math.min(maxTermColumns, Math.max(...terms))
  return sections.map(({ title, rows }) => {
    const lines = rows.map(([term, text]) => {
      const gap = term.length > width ? `\n${' '.repeat(width + 4)}` : ' '.repeat(width - term.length + 2)
      return `  ${colourText(term, 36, style)}${gap}${wrap(text, style.columns - width - 4, width + 4)}`
    })
    return [heading(title, style), ...lines].join('\n')
  })
}

function formatFlag([name, options]: readonly [string, Options]): readonly [string, string] {
  const { alias, choices, demandOption, default: value, describe = '' } = options
  const [, text = '', inText] = /^([^]*?)(?: {2}\[default: (.*)\])?$/.exec(describe)!
  const usual = inText ?? (value === undefined ? undefined : String(value))
  const notes = [
    ...(choices ? [choices.join(', ')] : []),
    ...(demandOption ? ['required'] : []),
    ...(usual === undefined ? [] : [`default: ${usual}`]),
  ]
  const short = [alias ?? []].flat().map((each) => `-${each}, `)
  const no = options.type === 'boolean' && usual === 'true' ? '[no-]' : ''
  return [`${short.join('')}--${no}${name}`, `${text}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`]
}

const heading = (text: string, style: TextStyle): string => colourText(text, 1, style)
