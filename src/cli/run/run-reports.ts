import { appendFile, writeFile } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { terminalReport, writeReport, type Verdicts, type Verdict } from '../../judge/index.ts'
import { FileError, type Terminal } from '../terminal/command.ts'
import { programWords, shellWord } from './reproduce.ts'
import type { ReportTarget } from './run-flags.ts'

/** Which reports are written, and what they can't know from the verdicts. */
export interface ReportRequest {
  readonly reports: readonly ReportTarget[]
  /** The file that the exchanges were recorded into. */
  readonly journal: string | undefined
  /** Real time that each run took, in milliseconds. */
  readonly durationsMs?: ReadonlyMap<Verdict, number>
}

/** Whether a report goes to the output, where programs read it: then what is for people goes beside. */
export function takesOutput(
  reports: readonly ReportTarget[],
  { environment }: Pick<Terminal, 'environment'>,
): boolean {
  const summary = environment['GITHUB_STEP_SUMMARY']
  return reports.some(({ format, file }) => file === undefined && !(format === 'markdown' && summary))
}

/**
 * Writes what was found: for people on the terminal, and each report that was asked for. A report without a file goes to
 * the output, Markdown to the summary of the step where GitHub Actions names one; then what is for people goes beside.
 *
 * @throws {FileError} when a file can't be written.
 */
export async function writeReports(
  judged: Verdicts,
  { reports, journal, durationsMs }: ReportRequest,
  terminal: Terminal,
): Promise<void> {
  const summary = terminal.environment['GITHUB_STEP_SUMMARY']
  const printed: string[] = []
  const failures: FileError[] = []
  const put = async (write: () => Promise<void>, file: string): Promise<void> => {
    await write().catch(({ message }: Error) => {
      failures.push(new FileError(`Failed to write ${file}: ${message}. Name a file that can be written.`))
    })
  }
  for (const { format, file } of reports) {
    const realMs = (run: Verdict): number | undefined => durationsMs?.get(run)
    const text = writeReport(format, judged, { toPath: workspacePath(terminal), realMs })
    if (file !== undefined) await put(() => writeFile(resolve(terminal.folder, file), text), file)
    else if (format === 'markdown' && summary) await put(() => appendFile(summary, `${text}\n`), summary)
    else if (text !== '') printed.push(text)
  }
  for (const text of printed) terminal.print(text.trimEnd())
  const howToExplain = (number: number): string => explainLine(number, journal, terminal)
  const told = terminalReport(judged, { howToExplain }).trimEnd()
  if (printed.length === 0) terminal.print(told)
  else terminal.warn(told)
  // What took long to find out is told all the same.
  if (failures[0]) throw failures[0]
}

/** How to look at a request: only a recording still has it when the run is over. */
function explainLine(number: number, journal: string | undefined, { environment }: Terminal): string {
  const program = programWords(environment).join(' ')
  const line = `${program} explain ${number} --journal ${shellWord(journal ?? 'run.jsonl')}`
  if (journal !== undefined) return `To see #${number}: ${line}`
  return `To see #${number}, add --journal run.jsonl to the run, then: ${line}`
}

/** GitHub attaches annotations only to paths from the root of the checkout, which need not be the working folder. */
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
    return realpathSync(path)
  } catch {
    return path
  }
}
