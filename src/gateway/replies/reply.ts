import type { MediaSpec } from '../../media/spec.ts'
import type { WireFault } from '../../scenario/faults/fault.ts'
import { headerOf, type Incoming } from '../incoming.ts'

/**
 * An answer as data. Nothing about it is decided later: a door only carries it out.
 */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
  /** How long the door waits on the clock before it answers. Infinity: until the client leaves. */
  readonly delayMs: number
  /** How a door is to break it, where it is. */
  readonly fault?: WireFault
}

export type ReplyBody = string | null | MediaBody | PacedBody

/** Text that comes in pieces, each in its time. */
export interface PacedBody {
  /** In the order in which they are due. Walked once, as far as the client stays. */
  readonly pieces: Iterable<PacedPiece>
  /** All of it, where all is due at once, there isn't much of it, and nothing goes wrong with it. */
  readonly atOnce?: () => WholeStream
}

/** A stream as one text. */
export interface WholeStream {
  readonly text: string
  /** How many chunks it has. */
  readonly chunks: number
}

export interface PacedPiece {
  readonly text: string
  /** In place of the text: bytes that are no text of their own, such as half a character. They are handed over alone. */
  readonly bytes?: Uint8Array
  /** When it is due, in milliseconds of the clock since the answer began: since admission, and what rules delay it by. */
  readonly atMs: number
  /** Whether the connection breaks off behind it: is closed, or reset. */
  readonly breaksOff?: true | 'reset'
  /**
   * What it is, where it is no chunk of what is said: what comes before and behind the chunks, the beginning of a
   * chunk whose rest comes next, or why the stream ends early.
   */
  readonly part?: 'opening' | 'closing' | 'half' | 'error' | 'cut'
}

/** Bytes that are made when they are wanted. */
export interface MediaBody {
  readonly media: MediaSpec
  readonly conditions: Conditions
  /** The answer when the bytes can't be made. */
  readonly failed: { readonly status: number; readonly body: string }
}

/** What the client asked about the bytes. */
export interface Conditions {
  readonly method: string
  /** Whether parts may be asked for at all. */
  readonly takesRanges: boolean
  readonly range: string
  readonly ifRange: string
  readonly ifNoneMatch: string
  /** What the bytes are called, in place of what they are. */
  readonly mediaType?: string
  /** Headers of any answer that shows the bytes. */
  readonly headers: Headers
  /** What a rule says beside, or in their place. */
  readonly instead?: Headers
}

export type Headers = Readonly<Record<string, string>>

/** Headers with others beside them, or in their place: in whatever case these are written. */
export function overrideHeaders(headers: Headers, instead: Headers): Headers {
  const isReplaced = named(instead)
  const kept = Object.entries(headers).filter(([name]) => !isReplaced(name))
  return { ...Object.fromEntries(kept), ...instead }
}

/** A list of names and values in turn without those that others stand in the place of. */
export function listWithout(list: readonly string[], instead: Headers): string[] {
  const isReplaced = named(instead)
  return list.filter((_, index) => !isReplaced(list[index - (index % 2)]!))
}

function named(headers: Headers): (name: string) => boolean {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return (name) => names.has(name.toLowerCase())
}

/** The headers of an answer in JSON. */
export const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' }

/** An answer in compact JSON (wire §1.5). */
export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = jsonHeaders,
): Reply {
  return { status, headers, body: JSON.stringify(body), delayMs: 0 }
}

/**
 * An answer that shows bytes, as far as the client's conditions want them.
 *
 * @param how.headers of any answer that shows them; failed the answer when they can't be made; takesRanges whether parts
 * may be asked for, as they may if it is left out.
 */
export function mediaReply(
  media: MediaSpec,
  incoming: Incoming,
  how: { headers: Headers; failed: MediaBody['failed']; takesRanges?: boolean },
): Reply {
  const { headers, failed, takesRanges = true } = how
  const conditions = {
    method: incoming.method,
    takesRanges,
    range: headerOf(incoming, 'range'),
    ifRange: headerOf(incoming, 'if-range'),
    ifNoneMatch: headerOf(incoming, 'if-none-match'),
    headers,
  }
  return { status: 200, headers: {}, delayMs: 0, body: { media, conditions, failed } }
}

/** Adds headers to a list of names and values in turn. */
export function appendHeaders(list: string[], headers: Readonly<Record<string, string>>): void {
  for (const name in headers) list.push(name, headers[name]!)
}

/** Headers as names and values in turn. */
export function headerList(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = []
  appendHeaders(list, headers)
  return list
}

/** An explanation of ours beside the gateway's words. Headers take no letters beyond ASCII. */
export function hintHeader(hint: string): Record<string, string> {
  return { 'X-Greenroom-Hint': hint.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) }
}
