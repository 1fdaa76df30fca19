import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ExplainedEntry } from '../../control/journal.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { parseRecording, RecordingError, type Recording } from '../../judge/recording/recording.ts'
import { FileError, type Terminal } from '../terminal/command.ts'

/** @throws {FileError} for a file that does not exist or is not a recording. */
export async function readRecordingFile(
  file: string,
  { folder, warn }: Pick<Terminal, 'folder' | 'warn'>,
): Promise<Recording> {
  const path = resolve(folder, file)
  const text = await readFile(path, 'utf8').catch(({ message }: Error) => {
    throw new FileError(`Failed to read ${path}: ${message}. Name a file that --journal wrote.`)
  })
  try {
    const recording = parseRecording(text)
    if (recording.isTruncated) warn(`warning: ${file}: the last line is incomplete and was ignored.`)
    return recording
  } catch (error) {
    if (error instanceof RecordingError) throw new FileError(`Failed to read ${path}: ${error.message}`)
    throw error
  }
}

/** The exchanges of a namespace, by number. */
export function entriesOf({ lines }: Recording, namespace: string): ExplainedEntry[] {
  return lines
    .flatMap((line) => (line.line === 'exchange' ? [line.entry] : []))
    .filter((entry) => entry.namespace === namespace)
    .toSorted((one, other) => one.number - other.number)
}

/** An entry as the journal itself stores it. Older recordings contain only masked keys. */
export function toJournalEntry({ reasons = [], ...entry }: ExplainedEntry): JournalEntry {
  const { keyHash = entry.key } = entry as Partial<ExplainedEntry>
  return { ...entry, keyHash, reasons: () => reasons }
}
