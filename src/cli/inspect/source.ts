import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { operationsWith } from '../../apis/index.ts'
import type { ExplainedEntry } from '../../control/entry-schema.ts'
import { controlPrefix } from '../../gateway/request.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { parseRecording, RecordingError, type Recording } from '../../judge/recording/recording.ts'
import { readFailure } from '../../files/file-error.ts'
import { optionDefaults } from '../../scenario/vocabulary/defaults.ts'
import { environmentOptions } from '../serve/config-file.ts'
import { pickServerFlags } from '../serve/server-flags.ts'
import {
  FileError,
  readText,
  readTextFlags,
  UsageError,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { formatProgram } from '../terminal/program.ts'

const defaultUrl = `http://${optionDefaults.host}:${optionDefaults.port}`

/** The flag that names the files of the APIs in a recording. The recording itself is data, and loads no code. */
export const apiOfRecording = {
  api: {
    ...pickServerFlags(['api'])['api'],
    describe: 'Know this API of the recording: a file that defines one; repeatable',
  },
} as const

/** The flags of commands that query a running server, or read a recording. */
export const sourceFlags = {
  url: {
    type: 'string',
    describe: `Read from the running server at this URL  [default: ${defaultUrl}]`,
  },
  namespace: { type: 'string', describe: 'Read this namespace  [default: default]' },
  journal: { type: 'string', describe: 'Read this recording instead of a server' },
  ...apiOfRecording,
} as const

export function readNamespace(flags: Flags): string {
  return readText(flags, 'namespace') ?? 'default'
}

/**
 * The URL of a running server, without trailing slashes. Default: the default port on this machine.
 *
 * @param place the start of the message, such as `--url: `.
 * @throws {UsageError} for a text that is not an HTTP URL.
 */
function toServerUrl(text: string | undefined, place = ''): string {
  const url = (text ?? defaultUrl).replace(/\/+$/, '')
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw new UsageError(`${place}"${url}" is not a URL. Write one such as ${defaultUrl}.`)
}

/**
 * Calls the control API of the server that the flags name.
 *
 * @param path below `/_greenroom`, such as `/journal`.
 * @throws {UsageError} if no server responds, or with the message of its error.
 */
export async function askServer(flags: Flags, path: string, { environment }: Terminal): Promise<unknown> {
  const base = toServerUrl(readText(flags, 'url'), '--url: ')
  const { controlToken } = environmentOptions({}, environment)
  const response = await fetch(`${base}${controlPrefix}${path}`, {
    headers: controlToken ? { authorization: `Bearer ${controlToken}` } : {},
  }).catch(() => {
    throw new UsageError(
      `Failed to reach ${base}: no server responds. Start ${formatProgram(environment)} serve, or pass its URL by --url.`,
    )
  })
  const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return body
  throw new UsageError(body.error?.message ?? `Failed to ask ${base}: it responded with ${response.status}.`)
}

/** @throws {FileError} for a file that does not exist or is not a recording. */
export async function readRecordingFile(
  file: string,
  flags: Flags,
  { folder, warn }: Pick<Terminal, 'folder' | 'warn'>,
): Promise<Recording> {
  const path = resolve(folder, file)
  const otherFile = 'Name a file that greenroom serve --journal or run --journal wrote.'
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new FileError(readFailure(path, error, otherFile))
  })
  try {
    const recording = parseRecording(text)
    if (recording.isTruncated) warn(`warning: ${file}: the last line is incomplete and was ignored.`)
    return await withLoadedApis(recording, path, readTextFlags(flags, 'api'))
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error
    const { line, message } = error
    const advice =
      line === 1 ? otherFile : `To use what precedes it, copy the first ${line - 1} lines to another file.`
    throw new FileError(`${path}:${line}:1: ${message}. ${advice}`)
  }
}

/**
 * Loads the shipped APIs that a recording names. Files of others come from `--api`: a recording is data.
 * @param given the absolute paths of loaded APIs.
 */
async function withLoadedApis(
  recording: Recording,
  path: string,
  given: readonly string[],
): Promise<Recording> {
  const { head } = recording
  const { apis } = head.options as { readonly apis?: unknown }
  if (!Array.isArray(apis) || apis.some((each) => typeof each !== 'string')) return recording
  const { isShippedApi, loadApis } = await import('../../files/code/load-apis.ts')
  const shipped = (apis as string[]).filter(isShippedApi)
  const [file] = (apis as string[]).filter((name) => !isShippedApi(name))
  if (file !== undefined && given.length === 0) {
    throw new FileError(
      `${path}:1:1: The recording names the API "${file}", a program, which recordings don't run. Pass it by --api ${file}.`,
    )
  }
  const loaded = [...(await loadApis(shipped, dirname(path))), ...given]
  return { ...recording, head: { ...head, options: { ...head.options, apis: loaded } } }
}

/** The exchanges of a namespace, by number. Recordings up to version 0.2.0 don't say what an operation does. */
export function entriesOf({ head, lines }: Recording, namespace: string): ExplainedEntry[] {
  const operations = operationsWith(head.options['apis'])
  return lines
    .flatMap((line) => (line.line === 'exchange' ? [line.entry] : []))
    .filter((entry) => entry.namespace === namespace)
    .map((entry) => {
      const facts = operations.find(entry.operation)
      const { role = facts?.role ?? null, kind = facts?.tasks ?? null } = entry as Partial<ExplainedEntry>
      return { ...entry, role, kind }
    })
    .toSorted((one, other) => one.number - other.number)
}

/** Converts an entry to that of the journal. Older recordings contain only masked keys. */
export function toJournalEntry({ reasons = [], ...entry }: ExplainedEntry): JournalEntry {
  const { keyHash = entry.key } = entry as Partial<ExplainedEntry>
  return { ...entry, keyHash, reasons: () => reasons }
}
