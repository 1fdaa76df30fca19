import type { ExplainedEntry } from '../../control/control.ts'
import { askServer } from './ask-server.ts'
import { sourceFlags, defaultUrl } from './source-flags.ts'
import { exitCodes, UsageError, wordsOf, type Command, type Terminal } from '../terminal/command.ts'
import { explanation } from './explanation.ts'
import { textOf } from '../terminal/flags.ts'
import { entriesOf, readRecordingFile } from './recorded-entries.ts'

/** `greenroom explain`: why an exchange went as it did. */
export const explain: Command = {
  name: 'explain',
  summary: 'tell why an exchange went as it did, rule by rule',
  words: {
    name: 'number',
    describe: 'The number of the exchange, as in X-Greenroom-Exchange',
    least: 1,
    most: 1,
  },
  options: sourceFlags,
  epilogue: `Asks a running server, or reads what --journal has recorded.

Exit codes: ${exitCodes.usage} nobody knows such an exchange, ${exitCodes.badFile} the file can't be read.`,
  run: async (flags, terminal) => {
    const number = numberOf(wordsOf(flags)[0]!)
    const namespace = flags['namespace'] === undefined ? 'default' : textOf('namespace', flags['namespace'])
    const found =
      flags['journal'] === undefined
        ? await ask(urlOf(flags), namespace, number, terminal)
        : await read(textOf('journal', flags['journal']), namespace, number, terminal)
    terminal.print(explanation(found.entry, found.start))
    return exitCodes.ok
  },
}

interface Found {
  readonly entry: ExplainedEntry
  /** The instant from which time is counted. */
  readonly start: number
}

function urlOf(flags: Readonly<Record<string, unknown>>): string {
  return flags['url'] === undefined ? defaultUrl : textOf('url', flags['url'])
}

async function ask(url: string, namespace: string, number: number, terminal: Terminal): Promise<Found> {
  const query = `?namespace=${encodeURIComponent(namespace)}`
  const entry = (await askServer(url, `/journal/${number}${query}`, terminal)) as ExplainedEntry
  const [first] = (await askServer(url, `/journal${query}`, terminal)) as ExplainedEntry[]
  return { entry, start: first?.at ?? entry.at }
}

async function read(file: string, namespace: string, number: number, terminal: Terminal): Promise<Found> {
  const recording = await readRecordingFile(file, terminal)
  const entries = entriesOf(recording, namespace)
  const entry = entries.find((each) => each.number === number)
  if (entry) return { entry, start: recording.head.start }
  const numbers = entries.map((each) => each.number)
  const known = numbers.length === 0 ? 'none' : `${numbers[0]} to ${numbers.at(-1)}`
  throw new UsageError(`${file} has no exchange ${number} in namespace "${namespace}"; it has ${known}.`)
}

function numberOf(text: string): number {
  const digits = /^#?(\d{1,9})$/.exec(text)?.[1]
  if (digits !== undefined) return Number(digits)
  throw new UsageError(`"${text}" is no number of an exchange. Write one such as 12.`)
}
