import { chmodSync, closeSync, createWriteStream, openSync, readSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { dirname, resolve } from 'node:path'
import { knownApis } from '../../apis/define/own-apis.ts'
import { nameApiFile } from '../../files/code/load-apis.ts'
import { recordSimulator, type Recorded } from '../../judge/recording/record.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { readFailure, writeFailure } from '../../files/file-error.ts'
import { FileError } from './command.ts'

/** A file that records a simulator. */
interface JournalFile {
  /** An option of a server: wraps its simulator. */
  readonly between: (simulator: Simulator) => Simulator
  /** Flushes and closes the file. */
  readonly end: () => Promise<void>
  /** Deletes the file if there was nothing to record. */
  readonly discard: () => Promise<void>
}

/**
 * Starts a recording.
 *
 * @param options the options of the simulator, for a replay.
 * @param place.replace whether an earlier recording may be replaced.
 * @throws {FileError} if the file can't be written, or has other content.
 */
export async function openJournal(
  name: string,
  options: object,
  { folder, replace }: { folder: string; replace: boolean },
): Promise<JournalFile> {
  const path = resolve(folder, name)
  // An existing file may be the work of days, belong to a running server, or be the scenario by mistake.
  const start = readStart(path)
  if (start !== '' && !(replace && start === headStart)) {
    throw new FileError(`Failed to write ${path}: it exists. Move it away, or name another file.`)
  }
  const stream = createWriteStream(path, { mode: 0o600 })
  await new Promise<void>((done, fail) => {
    stream.once('open', () => done())
    stream.once('error', (error) => fail(new FileError(writeFailure(path, error, 'Name another file.'))))
  })
  makePrivate(path)
  // end() reports later errors.
  stream.on('error', () => {})
  let recording: Recorded | undefined
  return {
    between: (simulator) => {
      recording = recordSimulator(
        simulator,
        withNamedApis(options, dirname(path)),
        (line) => void stream.write(`${line}\n`),
        knownApis((options as { readonly apis?: unknown }).apis),
      )
      return recording.simulator
    },
    end: async () => {
      recording?.end()
      stream.end()
      await finished(stream).catch((error: unknown) => {
        throw new FileError(writeFailure(path, error, 'The recording is incomplete.'))
      })
    },
    discard: async () => {
      stream.destroy()
      if (isFile(path)) await rm(path, { force: true })
    },
  }
}

/** The start of every recording. */
const headStart = '{"line":"recording"'

/**
 * The first characters of a regular file; empty for other files.
 * @throws {FileError} if it can't be read.
 */
function readStart(path: string): string {
  try {
    if (!isFile(path)) return ''
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(headStart.length)
      return bytes.toString('latin1', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new FileError(readFailure(path, error, 'Name another file.'))
  }
}

/**
 * Makes a recording readable only by its owner, because it contains prompts and bodies. Opening an existing file does not
 * change its mode.
 */
function makePrivate(path: string): void {
  if (!isFile(path)) return
  try {
    chmodSync(path, 0o600)
  } catch {
    // Some file systems have no modes.
  }
}

/** Whether it is a regular file. Devices and pipes are neither checked nor deleted. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Names the files of APIs relative to the folder of the recording. A definition in code can't be recorded. */
function withNamedApis(
  options: { readonly apis?: unknown },
  folder: string,
): Readonly<Record<string, unknown>> {
  const { apis } = options
  if (!Array.isArray(apis)) return { ...options }
  const files = apis.filter((each) => typeof each === 'string')
  return { ...options, apis: files.map((each) => nameApiFile(each, folder)) }
}
