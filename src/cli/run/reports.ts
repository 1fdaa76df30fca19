import { realpathSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { quoteWord, writeReport, type Report } from '../../judge/index.ts'
import { writeFailure } from '../../files/file-error.ts'
import { readReportPage } from '../../judge/reports/html/files.ts'
import type { ServerOptions } from '../../server/start.ts'
import { FileError, type Environment, type Terminal } from '../terminal/command.ts'
import { formatProgram, programWords } from '../terminal/program.ts'
import type { ReportTarget } from './run-flags.ts'

/** Whether a report goes to standard output. Then text for people goes to standard error. */
export function reportsToOutput(reports: readonly ReportTarget[], environment: Environment): boolean {
  const summary = environment['GITHUB_STEP_SUMMARY']
  return reports.some(({ format, file }) => file === undefined && !(format === 'markdown' && summary))
}

/** Whether a report contains the exchanges, in addition to verdicts. */
export function needsTrace(reports: readonly ReportTarget[]): boolean {
  return reports.some(({ format }) => format === 'html')
}

type Limits = NonNullable<ServerOptions['limits']>

/** A trace needs this many entries, because the evidence of a verdict is often among the first requests. */
const minTracedEntries = 10_000

/** Limits with a longer journal, for a report that contains the exchanges. */
export function withLongJournal(limits: Limits = {}): Limits {
  return { ...limits, journalEntries: Math.max(minTracedEntries, limits.journalEntries ?? 0) }
}

/**
 * Writes reports. A report without a file goes to standard output, and Markdown to the summary of a GitHub Actions step.
 *
 * @param text the report for people.
 * @throws {FileError} if a file can't be written. All other files are written before that.
 */
export async function writeReports(
  report: Report,
  { reports, text }: { readonly reports: readonly ReportTarget[]; readonly text: string },
  terminal: Terminal,
): Promise<void> {
  const { environment, folder, print, warn } = terminal
  const summary = environment['GITHUB_STEP_SUMMARY']
  const options = { toPath: workspacePath(terminal), readPage: readReportPage }
  const failures: FileError[] = []
  let write = print
  const save = async (write: Promise<void>, file: string): Promise<void> => {
    await write.catch((error: unknown) => {
      failures.push(new FileError(writeFailure(file, error, 'Name a file that can be written.')))
    })
  }
  for (const { format, file } of reports) {
    const written = writeReport(format, report, options)
    if (file !== undefined) await save(writeReportFile(resolve(folder, file), written), file)
    else if (format === 'markdown' && summary) await save(appendFile(summary, `${written}\n`), summary)
    else if (written !== '') {
      print(written.trimEnd())
      write = warn
    }
  }
  if (text !== '') write(text.trimEnd())
  if (failures[0]) throw failures[0]
}

/** Creates the folder, as test runners do. */
async function writeReportFile(path: string, report: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, report)
}

/** The line that explains an exchange. After the run, only a recording still contains the request. */
export function explainLine(number: number, journal: string | undefined, environment: Environment): string {
  const line = `${formatProgram(environment)} explain ${number} --journal ${quoteWord(journal ?? 'run.jsonl')}`
  if (journal !== undefined) return `To see #${number}: ${line}`
  return `To see #${number}, add --journal run.jsonl to the run, then: ${line}`
}

/** Makes paths relative to the root of the checkout, as GitHub needs them. That may differ from the working folder. */
function workspacePath({ environment, folder }: Terminal): (file: string) => string {
  const workspace = environment['GITHUB_WORKSPACE']
  if (!workspace) return (file) => file
  return (file) => {
    const path = relative(toRealPath(workspace), resolve(toRealPath(folder), file))
    return path.startsWith('..') || isAbsolute(path) ? file : path.split(sep).join('/')
  }
}

function toRealPath(path: string): string {
  try {
    // The path as stored on the disk: on Windows, the runner may pass its short form, such as RUNNER~1.
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/**
 * The command line that repeats a run.
 * @param run.flags the flags, without seed and reports.
 */
export function reproduceLine(run: {
  readonly seed: string
  /** Undefined without a scenario. */
  readonly file: string | undefined
  readonly flags: readonly string[]
  readonly command: readonly string[]
  readonly environment: Environment
}): string {
  const { seed, file, flags, command, environment } = run
  // A word with a leading hyphen would be read as a flag.
  const seedWords = seed.startsWith('-') ? [`--seed=${seed}`] : ['--seed', seed]
  const path = file === undefined ? [] : [file.startsWith('-') ? `./${file}` : file]
  const own = [...programWords(environment), 'run', ...seedWords, ...flags, ...path]
  return [...own, ...(command.length === 0 ? [] : ['--', ...command])].map(quoteWord).join(' ')
}
