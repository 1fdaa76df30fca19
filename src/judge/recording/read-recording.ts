import { recordingVersion, type RecordedLine, type Recording, type RecordingHead } from './line.ts'

/** A file that is no recording. The message names the line and says what to do. */
export class RecordingError extends Error {
  override name = 'RecordingError'
}

/**
 * Reads a recording. A last line that was not written whole is left out.
 * @param text what stands in the file, a JSON document in each line.
 * @throws {RecordingError} for anything else, and for another version of the format.
 */
export function readRecording(text: string): Recording {
  const end = text.lastIndexOf('\n') + 1
  const isCut = end > 0 && end < text.length && parsed(text.slice(end)) === undefined
  const whole = isCut ? text.slice(0, end) : text
  const [first, ...rest] = whole.split('\n').flatMap((line, index) => {
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
  if (!isObject(first['options']) || typeof first['start'] !== 'number') {
    throw new RecordingError('line 1 lacks the options of the gateway, or its start. Record it again.')
  }
  const lines = rest as unknown as RecordedLine[]
  return {
    head: first as unknown as RecordingHead,
    lines: lines.toSorted((one, other) => one.order - other.order),
    isCut,
  }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  const value = parsed(line)
  if (isObject(value) && isKnown(value, number)) return value
  throw new RecordingError(`line ${number} is no line of a recording: ${line.slice(0, 60)}`)
}

function isKnown(
  { line, order, request, entry, decision }: Record<string, unknown>,
  number: number,
): boolean {
  if (number === 1) return true
  if (typeof order !== 'number' || !isObject(request) || typeof request['target'] !== 'string') return false
  if (line === 'control') return true
  return (
    line === 'exchange' && isObject(entry) && typeof entry['namespace'] === 'string' && isObject(decision)
  )
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
