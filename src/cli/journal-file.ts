import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { resolve } from 'node:path'
import { recorded, type Recorded } from '../recording/record.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { FileError } from './command.ts'

/** A file into which a simulator is recorded. */
export interface JournalFile {
  /** Given to a server to stand between its port and the simulator. */
  readonly between: (simulator: Simulator) => Simulator
  /** Writes the rest, and closes the file. */
  readonly end: () => Promise<void>
}

/**
 * Begins a recording.
 * @param options what the simulator is made of, for whoever replays it.
 * @throws {FileError} when the file can't be written.
 */
export async function openJournal(name: string, folder: string, options: object): Promise<JournalFile> {
  const path = resolve(folder, name)
  const stream = createWriteStream(path)
  await new Promise<void>((done, fail) => {
    stream.once('open', () => done())
    stream.once('error', ({ message }) =>
      fail(new FileError(`Failed to write ${path}: ${message}. Name another file.`)),
    )
  })
  // What fails later is told when the file is closed.
  stream.on('error', () => {})
  let recording: Recorded | undefined
  return {
    between: (simulator) => {
      recording = recorded(simulator, { ...options }, (line) => void stream.write(`${line}\n`))
      return recording.simulator
    },
    end: async () => {
      recording?.end()
      stream.end()
      await finished(stream).catch(({ message }: Error) => {
        throw new FileError(`Failed to write ${path}: ${message}. What is there of it is not whole.`)
      })
    },
  }
}
