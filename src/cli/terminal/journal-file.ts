import { chmodSync, closeSync, createWriteStream, openSync, readSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { resolve } from 'node:path'
import { recordSimulator, type Recorded } from '../../judge/recording/record.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { FileError } from './command.ts'

/** A file into which a simulator is recorded. */
export interface JournalFile {
  /** Given to a server to stand between its port and the simulator. */
  readonly between: (simulator: Simulator) => Simulator
  /** Writes the rest, and closes the file. */
  readonly end: () => Promise<void>
  /** Leaves no file behind, where there was nothing to record. */
  readonly discard: () => Promise<void>
}

/**
 * Begins a recording.
 * @param options what the simulator is made of, for whoever replays it.
 * @param place `replace` where it may take the place of another.
 * @throws {FileError} when the file can't be written, or has something in it already.
 */
export async function openJournal(
  name: string,
  options: object,
  { folder, replace }: { folder: string; replace: boolean },
): Promise<JournalFile> {
  const path = resolve(folder, name)
  // It may have been recorded for days, or be the one of a server that runs; or no recording at all, but what was played.
  const beginning = beginningOf(path)
  const mayGo = beginning === '' || (replace && beginning === headBeginning)
  if (!mayGo) {
    throw new FileError(`Failed to write ${path}: it is there already. Move it away, or name another file.`)
  }
  const stream = createWriteStream(path, { mode: 0o600 })
  await new Promise<void>((done, fail) => {
    stream.once('open', () => done())
    stream.once('error', ({ message }) =>
      fail(new FileError(`Failed to write ${path}: ${message}. Name another file.`)),
    )
  })
  makePrivate(path)
  // What fails later is told when the file is closed.
  stream.on('error', () => {})
  let recording: Recorded | undefined
  return {
    between: (simulator) => {
      recording = recordSimulator(simulator, { ...options }, (line) => void stream.write(`${line}\n`))
      return recording.simulator
    },
    end: async () => {
      recording?.end()
      stream.end()
      await finished(stream).catch(({ message }: Error) => {
        throw new FileError(`Failed to write ${path}: ${message}. What is there of it is not whole.`)
      })
    },
    discard: async () => {
      stream.destroy()
      if (isFile(path)) await rm(path, { force: true })
    },
  }
}

/** How every recording begins. */
const headBeginning = '{"line":"recording"'

/**
 * The first few letters of a file; of one that isn't there, and of what is no plain file, none.
 * @throws {FileError} for one that can't be read.
 */
function beginningOf(path: string): string {
  try {
    if (!isFile(path)) return ''
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(headBeginning.length)
      return bytes.toString('latin1', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new FileError(`Failed to read ${path}: ${(error as Error).message}. Name another file.`)
  }
}

/** Prompts and bodies are recorded as sent. A file that existed before keeps its mode when it is opened. */
function makePrivate(path: string): void {
  if (!isFile(path)) return
  try {
    chmodSync(path, 0o600)
  } catch {
    // Some file systems have no modes.
  }
}

/** Devices and pipes take whatever comes, and stay. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
