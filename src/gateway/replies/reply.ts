import type {
  Headers,
  MediaBody as AnyMediaBody,
  Reply as AnyReply,
  ReplyBody as AnyReplyBody,
} from '../../engine/reply.ts'
import type { MediaSpec } from '../../media/spec.ts'
import { headerOf, type Incoming } from '../incoming.ts'

export type { Conditions, Headers, PacedBody, PacedPiece, WholeStream } from '../../engine/reply.ts'

export type Reply = AnyReply<MediaSpec>
export type ReplyBody = AnyReplyBody<MediaSpec>
export type MediaBody = AnyMediaBody<MediaSpec>

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
