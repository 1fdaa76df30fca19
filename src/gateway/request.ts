import type { Clock } from '../engine/clock/clock.ts'

/** How a request came in; `hook` is a report that the simulator sent out. */
export type Transport = 'socket' | 'msw' | 'direct' | 'hook'

/** What a clock must know of the work on a request, if processes take part in it. */
export interface RequestWork {
  /** Nothing is done for the request until the result is called: it waits on the clock, or for its client. */
  readonly pause: () => () => void
  /**
   * Waits until all processes that take part have nothing left to do, so that neither the order of what happens nor what the client has
   * read depends on the machine. @returns whether the request is one of theirs.
   */
  readonly takeTurn: (clock: Clock) => Promise<boolean>
}

/** A request as every transport hands it over. */
export interface GatewayRequest {
  readonly transport: Transport
  readonly method: string
  /** Path and query as they came, still percent-encoded. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What links to this server begin with, as the client sees it: `http://127.0.0.1:4646`. No trailing slash. */
  readonly origin: string
  /** The body as it arrives, or a function that reads a small one as a whole; missing if there is none. */
  readonly body?: AsyncIterable<Uint8Array> | (() => Promise<Uint8Array>) | undefined
  /** The number of bytes the client announced. */
  readonly announcedBytes?: number | undefined
  /** The namespace for requests that name none; by default `default`. */
  readonly belongsTo?: () => string
  /** What is wrong with the request as an HTTP message, if anything is. */
  readonly problem?: string | undefined
  /** Aborted when the client leaves. A function, since most requests never need it. */
  readonly left?: () => AbortSignal
  /** Missing if no process takes part in a clock. */
  readonly work?: RequestWork | undefined
}

/** Whether a method is safe as RFC 9110 §9.2.1 defines it: the request changes nothing. */
export function isSafeMethod({ method }: Pick<GatewayRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A header with one value; empty when it is missing. */
export function headerOf(incoming: Pick<GatewayRequest, 'headers'>, name: string): string {
  const value = incoming.headers[name]
  return typeof value === 'string' ? value : (value?.join(', ') ?? '')
}

/** The media type of a `Content-Type`, in lower case and without its parameters; of a list, which clients send by mistake, the first. */
export function mediaType(contentType: string): string {
  return contentType.split(/[;,]/, 1)[0]!.trim().toLowerCase()
}

/** Where a request goes, read off its target without decoding anything. */
export interface Target {
  /** The path as operations know it, without base path and query. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** `/ns/<name>` when the request came that way; links keep it. */
  readonly basePath: string
  /** The namespace that the path names; undefined when it names none. */
  readonly namespace: string | undefined
}

const basePathPattern = /^\/ns\/([^/]+)(?=\/|$)/

/** Splits a target. An absolute form (`GET http://host/path`) counts as its path. */
export function readTarget(target: string): Target {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const mark = local.indexOf('?')
  const hash = local.indexOf('#')
  const end = hash < 0 || (mark >= 0 && mark < hash) ? mark : hash
  const whole = end < 0 ? local : local.slice(0, end)
  const query = end < 0 || end === hash ? '' : local.slice(end + 1)
  const base = whole.startsWith('/ns/') ? basePathPattern.exec(whole) : null
  if (!base) return { path: whole, query, basePath: '', namespace: undefined }
  return { path: whole.slice(base[0].length) || '/', query, basePath: base[0], namespace: base[1] }
}
