import type { Clock } from '../engine/clock/clock.ts'

/** How a request arrived; `callback` is one that the simulator itself sends. */
export type Transport = 'socket' | 'msw' | 'direct' | 'callback'

/** Connects the work on a request to the clock, if processes take part in it. */
export interface RequestWork {
  /** Pauses the work on the request until the result is called, because it waits on the clock or for its client. */
  readonly pause: () => () => void
  /**
   * Waits until all processes that take part have nothing left to do. So neither the order of events nor how much the
   * client has read depends on the machine. @returns whether one of these processes sent the request.
   */
  readonly takeTurn: (clock: Clock) => Promise<boolean>
  /** The line of the program that sent the request, with its callers; undefined if that is unknown. Call it in the turn. */
  readonly place: () => string | undefined
}

/** A request in the form that every transport produces. */
export interface GatewayRequest {
  readonly transport: Transport
  readonly method: string
  /** Path and query as received, still percent-encoded. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of links to this server, as the client sees it: `http://127.0.0.1:4646`. No trailing slash. */
  readonly origin: string
  /** The body as it arrives, or a function that reads a small body at once; missing if there is none. */
  readonly body?: AsyncIterable<Uint8Array> | (() => Promise<Uint8Array>) | undefined
  /** The number of bytes that the client announced. */
  readonly announcedBytes?: number | undefined
  /** Returns the namespace of requests that name none; by default `default`. */
  readonly belongsTo?: () => string
  /** What is wrong with the request as an HTTP message; undefined if nothing is. */
  readonly problem?: string | undefined
  /** Returns a signal that is aborted when the client leaves. Most requests never need it. */
  readonly left?: () => AbortSignal
  /** Missing if no process takes part in a clock. */
  readonly work?: RequestWork | undefined
}

/** Whether a method is safe as RFC 9110 §9.2.1 defines it: the request changes nothing. */
export function isSafeMethod({ method }: Pick<GatewayRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A header as one value; empty if it is missing. */
export function headerOf(incoming: Pick<GatewayRequest, 'headers'>, name: string): string {
  const value = incoming.headers[name]
  return typeof value === 'string' ? value : (value?.join(', ') ?? '')
}

/**
 * The media type of a `Content-Type`, in lower case and without parameters. Of a list, which clients send by mistake, the
 * first.
 */
export function mediaType(contentType: string): string {
  return contentType.split(/[;,]/, 1)[0]!.trim().toLowerCase()
}

/** The destination of a request, read from its target without decoding. */
export interface Target {
  /** The path as operations know it, without base path and query. */
  readonly path: string
  /** The query without its question mark. */
  readonly query: string
  /** `/ns/<name>` if the path began with it. Links get it too. */
  readonly basePath: string
  /** The namespace in the path; undefined if there is none. */
  readonly namespace: string | undefined
}

/** The paths below it are the control API. */
export const controlPrefix = '/_greenroom'

const basePathPattern = /^\/ns\/([^/]+)(?=\/|$)/

/** Splits a target. Of an absolute form (`GET http://host/path`), only the path counts. */
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
