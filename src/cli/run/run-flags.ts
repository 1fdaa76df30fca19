import type { Options } from 'yargs'
import { DurationError, parseDuration } from '../../engine/clock/duration.ts'
import { servedClockModes } from '../../engine/clock/clock-settings.ts'
import { reportFormats, type ReportFormat } from '../../judge/reports/reports.ts'
import { UsageError, type Terminal } from '../terminal/command.ts'
import type { Config } from '../serve/config.ts'
import { applyFlags, configFlags, textOf } from '../terminal/flags.ts'
import { journalFlag } from './journal-flag.ts'
import { readVariables, variablesFlag } from './variables-flag.ts'
import { readStrictness, strictFlag, type Strictness } from './strict-flag.ts'

/** So many seeds may be tried at once. */
const maxSeeds = 10_000

/** The flags of `serve` that concern a run, too. */
const ofServe = ['seed', 'rate', 'ffmpeg', 'cache-dir', 'cache'] as const

export const runFlags: Readonly<Record<string, Options>> = {
  ...Object.fromEntries(ofServe.map((name) => [name, configFlags[name]!.options])),
  clock: { choices: servedClockModes, describe: 'How time moves  [default: auto]' },
  seed: { type: 'string', describe: 'What all chance comes from, in place of what the file says' },
  seeds: { type: 'string', describe: 'Run once for each seed of a range, such as 1..50' },
  report: {
    type: 'string',
    array: true,
    nargs: 1,
    describe: `Write the verdict as ${reportFormats.join(', ')}; with =FILE into a file; repeatable`,
  },
  env: variablesFlag,
  strict: strictFlag,
  journal: journalFlag,
  'time-limit': {
    type: 'string',
    describe: 'How long each run may take, in real time  [default: 30m]',
  },
}

/** A report that was asked for. */
export interface ReportTarget {
  readonly format: ReportFormat
  /** Undefined: where such reports usually go. */
  readonly file: string | undefined
}

/** What the flags of a run say. */
export interface RunRequest {
  /** What counts more than the file. */
  readonly config: Config
  /** One run for each; undefined for the seed of the file. */
  readonly seeds: readonly string[] | undefined
  readonly reports: readonly ReportTarget[]
  readonly journal: string | undefined
  /** Variables for the command, which win over those of the file. */
  readonly variables: Readonly<Record<string, string>>
  readonly limitMs: number
  readonly strict: Strictness
}

/** @throws {UsageError} for a value that can't be, and for flags that exclude each other. */
export function readRunFlags(
  flags: Readonly<Record<string, unknown>>,
  terminal: Pick<Terminal, 'environment'>,
): RunRequest {
  const said = Object.fromEntries([...ofServe, 'clock'].map((name) => [name, flags[name]]))
  const seeds = flags['seeds'] === undefined ? undefined : seedsOf(textOf('seeds', flags['seeds']))
  if (seeds && flags['seed'] !== undefined) {
    throw new UsageError('--seed and --seeds say different things. Leave one out.')
  }
  const journal = flags['journal'] === undefined ? undefined : textOf('journal', flags['journal'])
  if (journal !== undefined && seeds && seeds.length > 1) {
    throw new UsageError('--journal records one run, and --seeds makes several. Name the one by --seed.')
  }
  const reports = [flags['report'] ?? []].flat().map((each) => reportOf(textOf('report', each)))
  const files = [...reports.map(({ file }) => file), journal].filter((file) => file !== undefined)
  const twice = files.find((file, place) => files.indexOf(file) !== place)
  if (twice !== undefined) {
    throw new UsageError(`${twice} is named for two reports. Give each a file of its own.`)
  }
  return {
    config: applyFlags({}, said),
    seeds,
    reports,
    journal,
    variables: readVariables(flags['env']),
    limitMs: limitOf(flags['time-limit']),
    strict: readStrictness(flags, terminal),
  }
}

function seedsOf(text: string): string[] {
  const [, first, last] = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text) ?? []
  const count = Number(last) - Number(first) + 1
  if (count >= 1 && count <= maxSeeds) {
    return Array.from({ length: count }, (_, index) => String(Number(first) + index))
  }
  throw new UsageError(`--seeds is "${text}": write a range of up to ${maxSeeds} numbers, such as 1..50.`)
}

function reportOf(text: string): ReportTarget {
  const [name = '', ...rest] = text.split('=')
  const format = reportFormats.find((each) => each === name)
  const file = rest.length === 0 ? undefined : rest.join('=')
  if (format && file !== '') return { format, file }
  throw new UsageError(
    `--report is "${text}": write one of ${reportFormats.join(', ')}, and =FILE behind it for a file, such as junit=out.xml.`,
  )
}

/** The longest delay the host's timers take is a little longer. */
const maxLimitLength = '24d'

function limitOf(value: unknown): number {
  const text = value === undefined ? '30m' : textOf('time-limit', value)
  try {
    const limitMs = parseDuration(text)
    if (limitMs <= parseDuration(maxLimitLength)) return limitMs
    throw new UsageError(`--time-limit is "${text}": give ${maxLimitLength} at most.`)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new UsageError(`--time-limit: ${error.message}.`)
  }
}
