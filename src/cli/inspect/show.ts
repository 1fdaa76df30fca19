import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { judgeEntries, quoteWord, reportRuns, RunCollection, writeReport } from '../../judge/index.ts'
import { readReportPage } from '../../judge/reports/html/files.ts'
import type { Recording } from '../../judge/recording/recording.ts'
import { writeFailure } from '../../scenario/files/file-error.ts'
import {
  exitCodes,
  FileError,
  readText,
  UsageError,
  type Command,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { openBrowser } from '../terminal/open-browser.ts'
import { traceRecording } from './replay.ts'
import { findMediaType, showMedia } from './show-media.ts'
import { entriesOf, readRecordingFile, sourceFlags, toJournalEntry } from './source.ts'

/** `greenroom show`: a recording as an HTML report, or the origin of an image or video. */
export const show: Command = {
  argumentHelp: 'Recording that --journal wrote, or a PNG or MP4 of greenroom',
  options: {
    namespace: { ...sourceFlags.namespace, describe: 'Show this namespace  [default: all]' },
    out: { type: 'string', describe: 'Write the page to this file, and open no browser' },
    json: { type: 'boolean', describe: 'Print what an image or video was made from as one line of JSON' },
  },
  epilogue: [
    'Of a recording, writes one HTML file, which needs no server and no network, and opens it in your browser. It contains prompts, as the recording does.',
    'Of an image or video, prints the task, model, seed and prompt that it was made from. They may be forged, so they are a hint, not proof.',
    `Exit codes: ${exitCodes.usage} no such namespace, ${exitCodes.badFile} a file can't be read or written, or was not made by greenroom.`,
  ],
  examples: [
    ['greenroom show run.jsonl', 'open a recording in the browser'],
    ['greenroom show clip.mp4', 'print what a video was made from'],
  ],
  run: async ({ flags, args }, terminal) => {
    const file = args[0]!
    const path = resolve(terminal.folder, file)
    const type = await findMediaType(path)
    const excluded = (type ? ['namespace', 'out'] : ['json']).find((name) => flags[name] !== undefined)
    if (excluded !== undefined)
      throw new UsageError(
        `--${excluded} is not for ${type ? 'images and videos' : 'recordings'}. Remove it.`,
      )
    if (type) await showMedia(path, { type, isJson: flags['json'] === true }, terminal)
    else await showRecording(file, flags, terminal)
    return exitCodes.ok
  },
}

async function showRecording(file: string, flags: Flags, terminal: Terminal): Promise<void> {
  const recording = await readRecordingFile(file, terminal)
  const namespaces = findNamespaces(recording, readText(flags, 'namespace'))
  const page = await createPage({ recording, file, namespaces }, terminal)
  const out = readText(flags, 'out')
  const path =
    out === undefined ? join(await createFolder(), `${basename(file)}.html`) : resolve(terminal.folder, out)
  await writeFile(path, page, { mode: 0o600 }).catch((error: unknown) => {
    throw new FileError(writeFailure(path, error, 'Name a file that can be written by --out.'))
  })
  terminal.print(path)
  const problem = out === undefined ? await openBrowser(pathToFileURL(path).href) : undefined
  if (problem !== undefined) terminal.warn(`hint: ${problem}`)
}

/** Only the user can read it, like the recording. */
const createFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'greenroom-show-'))

function findNamespaces({ lines }: Recording, only: string | undefined): string[] {
  const names = lines.flatMap((line) => (line.line === 'exchange' ? [line.entry.namespace] : []))
  const all = [...new Set(names)]
  const found = only === undefined ? all : all.filter((name) => name === only)
  if (found.length > 0) return found
  if (all.length === 0) throw new FileError('The recording has no exchanges. Record a run with requests.')
  throw new UsageError(`The recording has no namespace "${only}". It has ${all.join(', ')}.`)
}

async function createPage(
  {
    recording,
    file,
    namespaces,
  }: { readonly recording: Recording; readonly file: string; readonly namespaces: readonly string[] },
  terminal: Terminal,
): Promise<string> {
  const seed = String(recording.head.options['seed'] ?? 1)
  const reproduce = `greenroom replay ${quoteWord(file)}`
  const runs = new RunCollection()
  const traces = await traceRecording(recording, namespaces, terminal)
  for (const trace of traces) {
    const entries = entriesOf(recording, trace.namespace).map(toJournalEntry)
    runs.add({ verdict: judgeEntries(entries, { name: trace.namespace, seed, reproduce }), trace })
  }
  const report = reportRuns([], { title: 'greenroom show', runs })
  return writeReport('html', report, { readPage: readReportPage })
}
