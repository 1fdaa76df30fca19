import { recordingVersion, type RecordedLine, type Recording, type RecordingHead } from './line.ts'

/** A file that is no recording. The message names the line and says what to do. */
export class RecordingError extends Error {
  override name = 'RecordingError'
}

/**
 * Reads a recording.
 * @param text what stands in the file, a JSON document in each line.
 * @throws {RecordingError} for anything else, and for another version of the format.
 */
export function readRecording(text: string): Recording {
  const [first, ...rest] = text.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [parseLine(line, index + 1)]
  })
  if (first?.['line'] !== 'recording') {
    throw new RecordingError(
      'line 1 is not the head of a recording. Make one with greenroom serve --journal FILE.jsonl.',
    )
  }
  if (first['version'] !== recordingVersion) {
    throw new RecordingError(
      `it is of version ${String(first['version'])}; this greenroom reads ${recordingVersion}. Record it again.`,
    )
  }
  const lines = rest as unknown as RecordedLine[]
  return {
    head: first as unknown as RecordingHead,
    lines: lines.toSorted((one, other) => one.order - other.order),
  }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    value = undefined
  }
  if (typeof value === 'object' && value !== null && isKnown(value as Record<string, unknown>, number)) {
    return value as Record<string, unknown>
  }
  throw new RecordingError(`line ${number} is no line of a recording: ${line.slice(0, 60)}`)
}

function isKnown(
  { line, order, request, entry, decision }: Record<string, unknown>,
  number: number,
): boolean {
  if (number === 1) return true
  if (typeof order !== 'number' || typeof request !== 'object' || request === null) return false
  return line === 'control' || (line === 'exchange' && isObject(entry) && isObject(decision))
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
