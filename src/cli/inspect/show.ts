import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JournalEntry } from '../../gateway/journal.ts'
import {
  judgeEntries,
  quoteWord,
  reportRuns,
  RunCollection,
  terminalReport,
  writeReport,
  type Report,
} from '../../judge/index.ts'
import { operationsWith } from '../../apis/index.ts'
import { readReportPage } from '../../judge/reports/html/files.ts'
import type { Recording } from '../../judge/recording/recording.ts'
import { explainLine, needsTrace, writeReports } from '../run/reports.ts'
import { judgeFlags, readReports, readStrictness, warnOfStrictness } from '../run/run-flags.ts'
import {
  isInCI,
  exitCodes,
  readText,
  UsageError,
  type Command,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { openBrowser } from '../terminal/open-browser.ts'
import { formatProgram } from '../terminal/program.ts'
import { traceRecording } from './replay.ts'
import { apiOfRecording, entriesOf, readRecordingFile, sourceFlags, toJournalEntry } from './source.ts'

/** `greenroom show`: judges a recording. */
export const show: Command = {
  argumentHelp: 'Recording that --journal wrote',
  options: {
    ...apiOfRecording,
    namespace: { ...sourceFlags.namespace, describe: 'Show this namespace of a recording  [default: all]' },
    ...judgeFlags,
  },
  epilogue: [
    'Judges a recording by the invariants and prints statistics. On a terminal, it also opens the recording in your browser, as one HTML file that needs no server and no network. With --report, it opens nothing.',
    `Exit codes: ${exitCodes.expectationFailed} an invariant was broken, ${exitCodes.usage} no such namespace, ${exitCodes.badFile} a file can't be read or written, ${exitCodes.noRequests} no requests.`,
  ],
  examples: [['greenroom show run.jsonl', 'judge a recording and open it in the browser']],
  run: ({ flags, args }, terminal) => showRecording(args[0]!, flags, terminal),
}

/** @returns the exit code. */
async function showRecording(file: string, flags: Flags, terminal: Terminal): Promise<number> {
  const { environment, screen, warn } = terminal
  const reports = readReports(flags, file)
  const strict = readStrictness(flags, environment)
  const recording = await readRecordingFile(file, flags, terminal)
  const namespaces = findNamespaces(recording, readText(flags, 'namespace'))
  if (namespaces.length === 0) {
    warn('error: The recording has no requests, so nothing can be judged.')
    return exitCodes.noRequests
  }
  const seed = String(recording.head.options['seed'] ?? 1)
  const reproduce = `${formatProgram(environment)} replay ${quoteWord(file)}`
  const traces = await traceRecording(recording, namespaces, terminal)
  const verdicts = namespaces.map((name, index) => {
    const entries = entriesOf(recording, name).map(toJournalEntry)
    const { tasks } = traces[index]!
    const operations = operationsWith(recording.head.options['apis'])
    const names = { name, seed, reproduce, strict: strict.isOn, operations }
    return judgeEntries(entries, { ...names, ...(entries.every(hasPrice) && { tasks }) })
  })
  const opensPage = reports.length === 0 && screen?.columns() !== undefined && !isInCI(environment)
  const runs = new RunCollection()
  if (opensPage || needsTrace(reports))
    for (const [index, trace] of traces.entries()) runs.add({ verdict: verdicts[index]!, trace })
  const howToExplain = (number: number): string => explainLine(number, file, environment)
  const report = reportRuns(verdicts, { title: 'greenroom show', runs, howToExplain })
  await writeReports(report, { reports, text: terminalReport(report) }, terminal)
  warnOfStrictness(verdicts, strict, terminal)
  if (opensPage) await openPage(report, file, terminal)
  return report.passed ? exitCodes.ok : exitCodes.expectationFailed
}

/** Recordings of earlier versions have no prices. */
const hasPrice = ({ quota }: Partial<JournalEntry>): boolean => quota !== undefined

function findNamespaces({ lines }: Recording, only: string | undefined): string[] {
  const names = lines.flatMap((line) => (line.line === 'exchange' ? [line.entry.namespace] : []))
  const all = [...new Set(names)]
  if (only === undefined || all.length === 0) return all
  if (all.includes(only)) return [only]
  throw new UsageError(`The recording has no namespace "${only}". It has ${all.join(', ')}.`)
}

/** The page contains prompts, as the recording does, so only the user can read it. */
async function openPage(report: Report, file: string, { warn }: Terminal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'greenroom-show-'))
  const path = join(folder, `${basename(file)}.html`)
  await writeFile(path, writeReport('html', report, { readPage: readReportPage }), { mode: 0o600 })
  const problem = await openBrowser(pathToFileURL(path).href)
  warn(problem === undefined ? `Opened ${path}` : `hint: ${problem}`)
}
