import { createRequire } from 'node:module'
import { delimiter, dirname, posix, resolve, win32 } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Options } from 'yargs'
import { servedClockModes } from '../../engine/clock/clock-settings.ts'
import { DurationError, parseDuration } from '../../engine/clock/duration.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'
import type { Verdicts } from '../../judge/index.ts'
import { reportFormats, type ReportFormat } from '../../judge/reports/write-report.ts'
import type { Config } from '../serve/config-file.ts'
import {
  isInCI,
  journalFlag,
  readText,
  readTextFlags,
  repeatable,
  UsageError,
  type Environment,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { applyFlags, pickServerFlags } from '../serve/server-flags.ts'

/** The flags of every command that starts COMMAND. */
export const commandFlags: Readonly<Record<string, Options>> = {
  env: repeatable(
    'Set a variable of COMMAND, such as MY_GATEWAY=${url}/v1, with ${url} and ${key} of the server, and ${runDir} of the run',
  ),
  'virtual-timers': {
    type: 'boolean',
    describe:
      'Put the timers and the Date of COMMAND, a Node or Python program, on the clock of the simulator',
  },
}

/** The flags of commands that judge a run. */
export const judgeFlags: Readonly<Record<string, Options>> = {
  report: repeatable(`Write a report: ${reportFormats.join(', ')}; with =FILE to a file`),
  strict: { type: 'boolean', describe: 'Also fail for what could not be judged  [default: on if CI is set]' },
}

export const runFlags: Readonly<Record<string, Options>> = {
  ...pickServerFlags(['rate', 'cache-dir', 'api']),
  clock: { choices: servedClockModes, describe: 'Choose how time moves  [default: auto]' },
  seed: { type: 'string', describe: 'Set the random seed, instead of that of the file' },
  seeds: { type: 'string', describe: 'Run once for each seed of a range, such as 1..50' },
  ...judgeFlags,
  ...commandFlags,
  journal: journalFlag,
  'time-limit': { type: 'string', describe: 'Limit each run to this real time  [default: 30m]' },
}

/** The flags of `run`, parsed. */
export interface RunArguments {
  /** Overrides the file. */
  readonly config: Config
  /** The files of `--api`, by their absolute paths. */
  readonly apis: readonly string[]
  /** The seeds, with one run for each; undefined for the seed of the file. */
  readonly seeds: readonly string[] | undefined
  readonly reports: readonly ReportTarget[]
  readonly journal: string | undefined
  /** Variables of the command. They override those of the file. */
  readonly variables: Readonly<Record<string, string>>
  /** The flags that set them. */
  readonly variableFlags: readonly string[]
  /** The real time that each run may take, in milliseconds. */
  readonly limitMs: number
  readonly strict: Strictness
}

/** A report to write. */
export interface ReportTarget {
  readonly format: ReportFormat
  /** Undefined: standard output, or the summary of a GitHub step for Markdown. */
  readonly file: string | undefined
}

/** Whether a run is strict, and why. */
interface Strictness {
  readonly isOn: boolean
  /** Whether a flag sets it, rather than the environment. */
  readonly isExplicit: boolean
}

/** @throws {UsageError} for invalid values and for flags that exclude each other. */
export function readRunFlags(
  flags: Flags,
  environment: Environment,
  command: readonly string[],
): RunArguments {
  const { clock, rate, seed, 'cache-dir': cacheDir, api } = flags
  const range = readText(flags, 'seeds')
  const seeds = range === undefined ? undefined : readSeeds(range)
  if (seeds && seed !== undefined) throw new UsageError('--seed excludes --seeds. Remove one of them.')
  const journal = readText(flags, 'journal')
  if (journal !== undefined && seeds && seeds.length > 1) {
    throw new UsageError('--journal records one run, but --seeds makes several. Pass one --seed instead.')
  }
  const reports = readReports(flags, journal)
  return {
    config: applyFlags({}, { clock, rate, seed, 'cache-dir': cacheDir, api }),
    apis: readTextFlags(flags, 'api'),
    seeds,
    reports,
    journal,
    variables: readCommandVariables(flags, environment, command),
    variableFlags: repeatVariables(flags),
    limitMs: readDuration(flags, 'time-limit', '30m'),
    strict: readStrictness(flags, environment),
  }
}

/**
 * @param placeholders the names that are replaced in values.
 * @throws {UsageError} for an invalid `NAME=VALUE`, and for a placeholder that looks misspelt.
 */
export function readVariables(
  flags: Flags,
  placeholders: readonly string[] = ['${url}', '${key}'],
): Record<string, string> {
  return Object.fromEntries(
    readTextFlags(flags, 'env').map((text) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
      if (name === undefined || value === undefined)
        throw new UsageError(`--env is "${text}": write NAME=VALUE, such as --env 'MY_GATEWAY=\${url}/v1'.`)
      // Other placeholders are left for the command to expand.
      for (const [each] of value.matchAll(/\$\{[^}]*\}/g)) {
        const guess = placeholders.includes(each) ? '' : didYouMean(each, placeholders)
        if (guess !== '') throw new UsageError(`--env is "${text}": nothing replaces ${each}.${guess}`)
      }
      const [unbraced] = /\$(?:url|key|runDir)\b/.exec(value) ?? []
      if (unbraced !== undefined)
        throw new UsageError(
          `--env is "${text}": nothing replaces ${unbraced}. Write \${${unbraced.slice(1)}}.`,
        )
      return [name, value]
    }),
  )
}

/** Programs that load neither a module of Node nor one of Python. Others, such as a shell or make, may start one that does. */
const otherRuntime = /^(pypy|ruby|perl|php|java|go|deno|bun|dotnet|curl)[\d.]*(?:\.exe)?$/i

/**
 * All variables that the flags set for COMMAND.
 * @param command its words.
 * @throws {UsageError} for anything but `NAME=VALUE`, and for virtual timers in a program that can't have them.
 */
export function readCommandVariables(
  flags: Flags,
  environment: Environment,
  [program = '']: readonly string[],
): Record<string, string> {
  const variables = readVariables(flags, ['${url}', '${key}', '${runDir}'])
  if (flags['virtual-timers'] !== true) return variables
  const [, runtime] = otherRuntime.exec(program.split(/[\\/]/).at(-1)!) ?? []
  if (runtime !== undefined)
    throw new UsageError(
      `--virtual-timers works only in Node and Python, but the command is ${program}. Without the flag, ` +
        'let its client sleep and time out over HTTP: see docs/how-to/python-go.md.',
    )
  const timers = virtualTimersPath()
  const before = (name: string): string | undefined => variables[name] ?? environment[name]
  const [options, path, hashSeed] = ['NODE_OPTIONS', 'PYTHONPATH', 'PYTHONHASHSEED'].map(before)
  const load = `--import=${pathToFileURL(timers)}`
  const folder = resolve(dirname(timers), '../python')
  return {
    ...variables,
    NODE_OPTIONS: options === undefined ? load : `${options} ${load}`,
    PYTHONPATH: path === undefined || path === '' ? folder : `${folder}${delimiter}${path}`,
    // Otherwise the order of a set of strings differs in each run.
    PYTHONHASHSEED: hashSeed ?? '0',
  }
}

/** The module that Node loads before COMMAND. Python loads another, from a folder of the same package. */
function virtualTimersPath(): string {
  return createRequire(import.meta.url).resolve('greenroom/virtual-timers')
}

/** The flags that repeat the variables of a run. */
export function repeatVariables(flags: Flags): string[] {
  const env = readTextFlags(flags, 'env').flatMap((text) => ['--env', text])
  return [...env, ...(flags['virtual-timers'] === true ? ['--virtual-timers'] : [])]
}

/** Without a flag, a run in CI is strict, because people seldom read the report of a run that passes. */
export function readStrictness({ strict }: Flags, environment: Environment): Strictness {
  if (typeof strict === 'boolean') return { isOn: strict, isExplicit: true }
  return { isOn: isInCI(environment), isExplicit: false }
}

/** Explains that a run failed because it was strict without a flag. Only such failures have hints. */
export function warnOfStrictness(verdicts: Verdicts, strict: Strictness, { warn }: Terminal): void {
  if (!strict.isOn || strict.isExplicit) return
  const results = verdicts.flatMap((verdict) => ('runs' in verdict ? verdict.runs : [verdict]))
  if (results.some((run) => run.results.some(({ hint }) => hint !== undefined)))
    warn('hint: The run is strict because CI is set.')
}

const maxSeeds = 10_000

function readSeeds(range: string): string[] {
  const [, first, last] = /^(\d{1,15})\.\.(\d{1,15})$/.exec(range) ?? []
  const count = Number(last) - Number(first) + 1
  if (count >= 1 && count <= maxSeeds) {
    return Array.from({ length: count }, (_, index) => String(Number(first) + index))
  }
  throw new UsageError(`--seeds is "${range}": write a range of up to ${maxSeeds} numbers, such as 1..50.`)
}

/**
 * Reads the reports to write.
 * @param journal the file of the recording, which no report may replace.
 * @throws {UsageError} for an unknown format, or a file that is named twice.
 */
export function readReports(flags: Flags, journal?: string): ReportTarget[] {
  const reports = readTextFlags(flags, 'report').map(readReport)
  const files = [...reports.map(({ file }) => file), journal].filter((file) => file !== undefined)
  const duplicate = findDuplicateFile(files)
  if (duplicate === undefined) return reports
  throw new UsageError(`${duplicate} is named for two reports. Give each a file of its own.`)
}

/** The first file that an earlier path also names. Windows and macOS usually ignore the case of names. */
export function findDuplicateFile(
  files: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { resolve } = platform === 'win32' ? win32 : posix
  const paths = files
    .map((file) => resolve(file))
    .map((path) => (platform === 'linux' ? path : path.toLowerCase()))
  return files.find((_, index) => paths.indexOf(paths[index]!) !== index)
}

function readReport(text: string): ReportTarget {
  const [name = '', ...rest] = text.split('=')
  const format = reportFormats.find((each) => each === name)
  const file = rest.length === 0 ? undefined : rest.join('=')
  if (format === 'html' && file === undefined)
    throw new UsageError('--report html needs a file, such as --report html=report.html.')
  if (format && file !== '') return { format, file }
  throw new UsageError(
    `--report is "${text}": write one of ${reportFormats.join(', ')}, with =FILE for a file, such as junit=out.xml.`,
  )
}

/** The maximum delay of Node's timers is slightly longer. */
const maxDuration = '24d'

/**
 * A duration in milliseconds.
 * @throws {UsageError} for an invalid duration, and for one that is too long for a timer.
 */
export function readDuration(flags: Flags, name: string, defaultText: string): number {
  const text = readText(flags, name) ?? defaultText
  try {
    const durationMs = parseDuration(text)
    if (durationMs <= parseDuration(maxDuration)) return durationMs
    throw new UsageError(`--${name} is "${text}": give ${maxDuration} at most.`)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new UsageError(`--${name}: ${error.message}.`)
  }
}
