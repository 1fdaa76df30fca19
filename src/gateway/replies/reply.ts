import type {
  Headers,
  MediaBody as AnyMediaBody,
  Reply as AnyReply,
  ReplyBody as AnyReplyBody,
} from '../../engine/reply.ts'
import type { MediaSpec } from '../../media/spec.ts'
import { headerOf, type GatewayRequest } from '../request.ts'

export type {
  Conditions,
  Headers,
  PacedBody,
  PacedPiece,
  PushedBody,
  WholeStream,
} from '../../engine/reply.ts'

export type Reply = AnyReply<MediaSpec>
export type ReplyBody = AnyReplyBody<MediaSpec>
export type MediaBody = AnyMediaBody<MediaSpec>

/** Whether a response with this status may have a body (RFC 9110 §15). */
export function hasContent(status: number): boolean {
  return ![204, 205, 304].includes(status)
}

/** Adds or replaces headers, whose names may be in any case. */
export function overrideHeaders(headers: Headers, instead: Headers): Headers {
  const isReplaced = nameMatcher(instead)
  const rest = Object.entries(headers).filter(([name]) => !isReplaced(name))
  return { ...Object.fromEntries(rest), ...instead }
}

/** Removes headers that are about to be replaced from a list of names and values in turn. */
export function listWithout(list: readonly string[], instead: Headers): string[] {
  const isReplaced = nameMatcher(instead)
  return list.filter((_, index) => !isReplaced(list[index - (index % 2)]!))
}

function nameMatcher(headers: Headers): (name: string) => boolean {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return (name) => names.has(name.toLowerCase())
}

/** The headers of a JSON response. */
export const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' }

/** A response in compact JSON (wire §1.5). */
export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = jsonHeaders,
): Reply {
  return { status, headers, body: JSON.stringify(body), delayMs: 0 }
}

/**
 * A response with the part of the media that the client's conditions select.
 *
 * @param how.headers of any response with these bytes; `failed` is the response if they can't be made.
 */
export function mediaReply(
  media: MediaSpec,
  incoming: GatewayRequest,
  how: { headers: Headers; failed: MediaBody['failed'] },
): Reply {
  const { headers, failed } = how
  const conditions = {
    method: incoming.method,
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

/** Converts headers to names and values in turn. */
export function headerList(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = []
  appendHeaders(list, headers)
  return list
}

export const hintName = 'X-Greenroom-Hint'

/** Makes the header with an explanation that the gateway itself doesn't give. Headers are limited to ASCII. */
export function hintHeader(hint: string): Record<string, string> {
  return { [hintName]: hint.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) }
}
