import { isObject } from '../../engine/is-object.ts'
import type { ExplainedEntry } from '../../control/entry-schema.ts'
import { hash128Hex } from '../../engine/random/hash.ts'
import type { Transport } from '../../gateway/request.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'

/** Bumped when older readers would misread the format. */
export const recordingVersion = 2

/** The first line. With these options, a simulator makes the same decisions. */
export interface RecordingHead {
  readonly line: 'recording'
  readonly version: typeof recordingVersion
  readonly greenroom: string
  /** The options of the simulator, without functions and objects. */
  readonly options: Readonly<Record<string, unknown>>
  /** The instant at which its clock started, in milliseconds since 1970. */
  readonly start: number
}

/** A received request, with aliases instead of keys. */
export interface RecordedRequest {
  readonly transport: Transport
  readonly method: string
  readonly target: string
  readonly origin: string
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The body in base64; missing without one, and if it was too long to record. */
  readonly body?: string
  readonly bodyBytes: number
  readonly problem?: string
}

/** The decision of the simulator, and a hash of the complete response. */
interface Decision {
  readonly status: number
  readonly operation: string | null
  readonly task: string | null
  readonly rules: readonly string[]
  readonly reportedStatus: string | null
  readonly fault: string | null
  /** Null if the response never comes. */
  readonly delayMs: number | null
  readonly hash: string
}

/** One exchange: the request, the decision and the journal entry. */
interface RecordedExchange {
  readonly line: 'exchange'
  /** Its position among all lines, in the order of admission. */
  readonly order: number
  readonly request: RecordedRequest
  readonly decision: Decision
  readonly entry: ExplainedEntry
}

/** A control API call that changed something. Clock calls are omitted: each later line has its instant. */
interface RecordedCall {
  readonly line: 'control'
  readonly order: number
  readonly namespace: string
  readonly at: number
  readonly request: RecordedRequest
}

export type RecordedLine = RecordedExchange | RecordedCall

/** A recording, its lines in the order of admission. */
export interface Recording {
  readonly head: RecordingHead
  readonly lines: readonly RecordedLine[]
  /** Whether the last line was incomplete, such as after a kill, and was dropped. */
  readonly isTruncated: boolean
}

/** Thrown for a file that is not a recording. */
export class RecordingError extends Error {
  override name = 'RecordingError'
  /** The number of the invalid line. */
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/**
 * Parses a recording. An incomplete last line is dropped.
 * @param text the file, one JSON document per line.
 * @throws {RecordingError} for an invalid file, and for another version of the format.
 */
export function parseRecording(text: string): Recording {
  const end = text.lastIndexOf('\n') + 1
  const isTruncated = end > 0 && end < text.length && parseJson(text.slice(end)) === undefined
  const whole = isTruncated ? text.slice(0, end) : text
  // Editors on Windows may add a byte order mark.
  const [first, ...rest] = whole
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line, index) => {
      return line.trim() === '' ? [] : [parseLine(line, index + 1)]
    })
  if (first?.['line'] !== 'recording') {
    throw new RecordingError(1, 'not the start of a recording')
  }
  if (first['version'] !== recordingVersion) {
    throw new RecordingError(
      1,
      `unsupported version ${String(first['version'])} (expected ${recordingVersion}); record it again`,
    )
  }
  if (!isObject(first['options']) || typeof first['start'] !== 'number') {
    throw new RecordingError(1, 'options or start are missing; record it again')
  }
  const lines = rest as unknown as RecordedLine[]
  return {
    head: first as unknown as RecordingHead,
    lines: lines.toSorted((one, other) => one.order - other.order),
    isTruncated,
  }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  const value = parseJson(line)
  if (isObject(value) && isValidLine(value, number)) return value
  throw new RecordingError(number, `not a line of a recording: "${line.slice(0, 60)}"`)
}

function isValidLine(
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

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

/** The number of the exchange is not part of the decision. */
const numberHeader = 'X-Greenroom-Exchange'

/**
 * Makes the stream of a response repeatable, because it is hashed before it is sent: its pieces no longer depend on the
 * time.
 */
export function makeBodyRepeatable(exchange: Exchange): void {
  const { body } = exchange.reply
  if (typeof body !== 'object' || body === null || !('pieces' in body)) return
  exchange.reply = { ...exchange.reply, body: { ...body, pieces: [...body.pieces] } }
}

/** The decision for a request, without wall time, transport and outcome. */
export function toDecision({ reply, headers }: Exchange, entry: JournalEntry): Decision {
  const { status, operation, task, rules, reportedStatus, fault, delayMs } = entry
  const wait = Number.isFinite(delayMs) ? delayMs : null
  const decided = headers.filter((_, index) => headers[index - (index % 2)] !== numberHeader)
  const hash = hash128Hex(JSON.stringify([reply.status, decided, wait, reply.effect ?? null, reply.body]))
  return { status, operation, task, rules, reportedStatus, fault, delayMs: wait, hash }
}

/** The first difference between two decisions; undefined if they are the same. */
export function findDifference(one: Decision, other: Decision): string | undefined {
  if (one.hash === other.hash && one.status === other.status) return undefined
  const { hash: _hash, ...named } = other
  for (const name of Object.keys(named) as (keyof typeof named)[]) {
    const [before, now] = [JSON.stringify(one[name]), JSON.stringify(other[name])]
    if (before !== now) return `${name} was ${before}, now ${now}`
  }
  return `the response was ${one.hash.slice(0, 8)}, now ${other.hash.slice(0, 8)}, in its headers or body`
}
