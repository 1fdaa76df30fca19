import { mkdtemp, writeFile, open, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve, relative } from 'node:path'
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
  FileError,
} from '../terminal/command.ts'
import { openBrowser } from '../terminal/open-browser.ts'
import { formatProgram } from '../terminal/program.ts'
import { traceRecording } from './replay.ts'
import { apiOfRecording, entriesOf, readRecordingFile, sourceFlags, toJournalEntry } from './source.ts'
import type { ReadProvenance } from '../../media/provenance/read-provenance.ts'
import type { Scene } from '../../pictures/words/description.ts'
import { readFailure } from '../../scenario/files/file-error.ts'

/** `greenroom show`: judges a recording, or prints the origin of an image or video. */
export const show: Command = {
  argumentHelp: 'Recording that --journal wrote, or a PNG, JPEG or MP4 of greenroom',
  options: {
    ...apiOfRecording,
    namespace: { ...sourceFlags.namespace, describe: 'Show this namespace of a recording  [default: all]' },
    ...judgeFlags,
    json: { type: 'boolean', describe: 'Print the origin of an image or video as one line of JSON' },
  },
  removedFlags: { out: 'Use --report html=FILE.' },
  epilogue: [
    'Judges a recording by the invariants and prints statistics. On a terminal, it also opens the recording in your browser, as one HTML file that needs no server and no network. With --report, it opens nothing.',
    'For an image or video, prints its origin: task, model, seed and prompt. Anyone can forge these, so they are a hint, not proof.',
    `Exit codes: ${exitCodes.expectationFailed} an invariant was broken, ${exitCodes.usage} no such namespace, ${exitCodes.badFile} a file can't be read or written, or was not made by greenroom, ${exitCodes.noRequests} no requests.`,
  ],
  examples: [
    ['greenroom show run.jsonl', 'judge a recording and open it in the browser'],
    ['greenroom show clip.mp4', 'print the origin of a video'],
  ],
  run: async ({ flags, args }, terminal) => {
    const file = args[0]!
    const path = resolve(terminal.folder, file)
    const type = await findMediaType(path)
    if (!type && flags['json'] !== undefined)
      throw new UsageError('--json is for images and videos. Use --report json for a recording.')
    if (!type) return showRecording(file, flags, terminal)
    const excluded = ['namespace', 'report', 'strict'].find((name) => flags[name] !== undefined)
    if (excluded !== undefined) throw new UsageError(`--${excluded} is for recordings. Remove it.`)
    await showMedia(path, { type, isJson: flags['json'] === true }, terminal)
    return exitCodes.ok
  },
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

type MediaType = 'image/png' | 'image/jpeg' | 'video/mp4'

const maxBytes = 256 * 1024 * 1024

const advice = 'Name a recording, or a PNG, JPEG or MP4 of greenroom.'

/**
 * Detects images and videos by the first bytes of a file.
 * @returns undefined for a recording.
 * @throws {FileError} for a file that can't be read, and for any other file.
 */
async function findMediaType(path: string): Promise<MediaType | undefined> {
  const start = await readStart(path)
  if (start.startsWith('\x89PNG')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.slice(4) === 'ftyp') return 'video/mp4'
  if (start.startsWith('{')) return undefined
  throw new FileError(`Failed to show ${path}: it is neither a recording nor a PNG, JPEG or MP4. ${advice}`)
}

async function readStart(path: string): Promise<string> {
  try {
    const found = await stat(path)
    // A named pipe would block until another process writes to it.
    if (!found.isFile() && !found.isDirectory())
      throw new FileError(`Failed to read ${path}: it is not a file. ${advice}`)
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(8))
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(readFailure(path, error, advice))
  }
}

/**
 * Prints the provenance in an image or video: its task, model, seed and prompt. It may be forged, so it is not proof.
 * @throws {FileError} for a file without provenance of greenroom.
 */
async function showMedia(
  path: string,
  { type, isJson }: { readonly type: MediaType; readonly isJson: boolean },
  { folder, print }: Terminal,
): Promise<void> {
  const { size } = await stat(path)
  if (size > maxBytes)
    throw new FileError(`Failed to read ${path}: it has ${size} bytes, at most ${maxBytes} are read.`)
  const bytes = await readFile(path)
  const { readProvenance, hasOwnPixels } = await import('../../media/provenance/read-provenance.ts')
  const found = readProvenance(bytes)
  if (!found) {
    throw new FileError(
      `Failed to show ${path}: it has no provenance of greenroom. ` +
        'Other software may have removed it; give the file as it was downloaded.',
    )
  }
  const isUnchanged = hasOwnPixels(bytes, found)
  const shows = await describeScene(found)
  if (isJson) {
    const { greenroom: format, pixels: _, ...rest } = found
    print(JSON.stringify({ format, type, bytes: bytes.length, ...rest, shows, isUnchanged }))
    return
  }
  const lines: [name: string, value: string | undefined][] = [
    ['type', `${type}, ${bytes.length} bytes`],
    ['task', found.task],
    ['model', found.model],
    ['seed', found.seed],
    ['prompt', found.prompt],
    ['shows', shows],
    ['pixels', isUnchanged ? undefined : 'changed since it was made'],
  ]
  print(`${relative(folder, path)}\n`)
  for (const [name, value] of lines) if (value) print(`  ${name.padEnd(8)} ${printable(value)}`)
}

/** A short description of the scene; undefined if it is unknown. */
async function describeScene(found: ReadProvenance): Promise<string | undefined> {
  const { toDrawing } = await import('../../media/provenance/read-provenance.ts')
  const { scene = {}, prompt = '', model, seed = '' } = found
  const { width, height } = scene
  if (scene['kind'] !== 'picture' && typeof width === 'number' && typeof height === 'number') {
    if (scene['image'] !== undefined) return 'an image in motion'
    const { sceneOf } = await import('../../pictures/places/scene.ts')
    return describe(sceneOf({ prompt, ...(model !== undefined && { model }), seed, width, height }))
  }
  const drawing = toDrawing(scene)
  if (!drawing) return undefined
  const { picturesOf } = await import('../../pictures/composition/pictures-of.ts')
  return [...new Set(picturesOf(drawing).map(({ world }) => describe(world)))].join('; ')
}

function describe({ family, cast = [], weather, time }: Scene): string {
  const members = cast.map(({ icon, letters, count }) => {
    const name = letters === undefined ? (icon ?? '') : `the letters "${letters}"`
    return count > 1 ? `${count} ${name}` : name
  })
  return [...members, family, weather, time].filter(Boolean).join(', ')
}

/** Escapes a prompt, because a terminal would follow its escape sequences. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
