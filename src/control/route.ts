import { parseDuration } from '../engine/clock/duration.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import type { MediaSpec } from '../media/spec.ts'
import type { JsonObject, JsonValue } from '../gateway/bodies/json.ts'

export const controlPrefix = '/_greenroom'

/** One call of the control API, on the part of {@link Control} that carries it out. */
export interface ControlRoute<Part> {
  readonly methods: readonly string[]
  /** After the prefix. */
  readonly path: string
  /** One line for the index. */
  readonly does: string
  /** The maximum size of the body, if it may be larger than others. */
  readonly maxBodyBytes?: number
  /** Likewise, the maximum number of JSON values. */
  readonly maxBodyValues?: number
  /** Whether the body is any text, rather than a JSON object. */
  readonly takesText?: boolean
  /** Whether it waits on the clock, so that time may move before it has responded. */
  readonly waits?: boolean
  /** @returns the response as JSON; {@link JsonInPieces} if that takes long to write, {@link JsonLater}, {@link EventStream} and the other answers below. */
  readonly call: (part: Part, call: ControlCall) => unknown
}

/** JSON that is written in pieces, so that other work gets its turns. */
export class JsonInPieces {
  readonly pieces: Iterable<string>

  constructor(pieces: Iterable<string>) {
    this.pieces = pieces
  }
}

/** Longer lists are written in parts. */
const maxItemsInPart = 200

/** A short list as it is, and a long one in parts. */
export function listAnswer(items: Iterable<unknown>, count: number): unknown {
  return count <= maxItemsInPart ? [...items] : new JsonInPieces(listText(items))
}

function* listText(items: Iterable<unknown>): Generator<string> {
  let part: unknown[] = []
  let opening = '['
  for (const item of items) {
    if (part.push(item) < maxItemsInPart) continue
    yield opening + JSON.stringify(part).slice(1, -1)
    opening = ','
    part = []
  }
  yield part.length > 0 ? `${opening}${JSON.stringify(part).slice(1)}` : opening === '[' ? '[]' : ']'
}

/** JSON that is sent later than its headers. */
export class JsonLater {
  readonly text: Promise<string>
  /** Called when the client leaves. */
  readonly onLeave: () => void

  constructor(text: Promise<string>, onLeave: () => void) {
    this.text = text
    this.onLeave = onLeave
  }
}

/** Bytes that are made on demand. */
export class MediaAnswer {
  readonly spec: MediaSpec

  constructor(spec: MediaSpec) {
    this.spec = spec
  }
}

/** A text of a type of its own, with headers. */
export class TextAnswer {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>

  constructor(text: string, headers: Readonly<Record<string, string>>) {
    this.text = text
    this.headers = headers
  }
}

/** Server-sent events, until the client leaves. */
export class EventStream {
  readonly cutOff: AbortSignal
  readonly open: (left: AbortSignal) => AsyncIterable<string>

  constructor(cutOff: AbortSignal, open: (left: AbortSignal) => AsyncIterable<string>) {
    this.cutOff = cutOff
    this.open = open
  }
}

export interface ControlCall {
  readonly namespace: string
  /** The namespace that the call names, if it names one. */
  readonly named: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: JsonObject
  /** The body as it came, for routes that take any text. */
  readonly text: string
  /** A request header; empty when it is missing. @param name in lower case. */
  readonly header: (name: string) => string
  /** Aborted when the caller leaves. */
  readonly left: (() => AbortSignal) | undefined
}

/**
 * A failed control API call. The message says what to do.
 *
 * @example
 * sim.task('task_unknown') // throws ControlError: …task_unknown…
 */
export class ControlError extends Error {
  static {
    recognizeCopies(this, 'ControlError')
  }

  override name = 'ControlError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The refusal of a call that pages can't answer. */
export function nodeOnly(what: string): ControlError {
  return new ControlError(501, `${what} are there on Node only, not in a page.`)
}

export function readText(name: string, value: JsonValue | undefined, example: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ControlError(400, `"${name}" must be a text, not ${show(value)}. Send ${example}.`)
}

/** A whole number of a path or query. */
export function readCount(name: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new ControlError(400, `"${name}" must be a whole number, not "${value.slice(0, 60)}".`)
}

export function show(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60)
}

/** A duration such as `"5s"`, or milliseconds. */
export function readDuration(name: string, value: JsonValue | undefined): number {
  if (typeof value === 'string' || typeof value === 'number') return parseDuration(value)
  throw new ControlError(
    400,
    `"${name}" must be a duration such as "5s", or milliseconds, not ${show(value)}.`,
  )
}

/** An ISO date, or milliseconds since 1970. */
export function readInstant(name: string, value: JsonValue): number {
  const instant = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : NaN
  if (Number.isFinite(instant)) return Math.round(instant)
  throw new ControlError(400, `"${name}" must be an ISO date or milliseconds since 1970, not ${show(value)}.`)
}
