import type { ExplainedEntry } from '../../control/control.ts'
import type { Transport } from '../../gateway/request.ts'

/** The version of the format, raised when older readers would misread it. */
export const recordingVersion = 1

/** The first line: what a simulator must be made of to decide the same. */
export interface RecordingHead {
  readonly line: 'recording'
  readonly version: typeof recordingVersion
  readonly greenroom: string
  /** The options of the simulator, as far as they are data. */
  readonly options: Readonly<Record<string, unknown>>
  /** The instant at which its time began, in milliseconds since 1970. */
  readonly start: number
}

/** A request as it came in, with aliases in the place of keys. */
export interface RecordedRequest {
  readonly door: Transport
  readonly method: string
  readonly target: string
  readonly origin: string
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The body in base64; absent when there was none, or when it was too long to be kept. */
  readonly body?: string
  readonly bodyBytes: number
  readonly problem?: string
}

/** What was decided, in words and as a hash over all of the answer. */
export interface Decision {
  readonly status: number
  readonly operation: string | null
  readonly task: string | null
  readonly rules: readonly string[]
  readonly shown: string | null
  readonly fault: string | null
  /** Null: the answer never comes. */
  readonly delayMs: number | null
  readonly hash: string
}

/** One exchange: the request, what was decided, and what became of it. */
export interface RecordedExchange {
  readonly line: 'exchange'
  /** Its place among all lines, in the order of admission. */
  readonly order: number
  readonly request: RecordedRequest
  readonly decision: Decision
  readonly entry: ExplainedEntry
}

/** A call of the control plane that changed something. Time is part of what follows, so clocks are left out. */
export interface RecordedCall {
  readonly line: 'control'
  readonly order: number
  readonly namespace: string
  readonly at: number
  readonly request: RecordedRequest
}

export type RecordedLine = RecordedExchange | RecordedCall

/** A recording, read: its lines in the order of admission. */
export interface Recording {
  readonly head: RecordingHead
  readonly lines: readonly RecordedLine[]
  /** Whether its last line was not written whole, as when a process is killed, and was left out. */
  readonly isCut: boolean
}
