/** How a request came in; `hook` is no door but a report that went out. */
export type Transport = 'socket' | 'msw' | 'direct' | 'hook'

/** A request as every door hands it over. */
export interface Incoming {
  readonly door: Transport
  readonly method: string
  /** Path and query as they came, still percent-encoded. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What links to this server begin with, as the client sees it: `http://127.0.0.1:4646`. No trailing slash. */
  readonly origin: string
  /** The body as it arrives, or a small one in one piece, when it is asked for; absent when the request has none. */
  readonly body?: AsyncIterable<Uint8Array> | (() => Promise<Uint8Array>) | undefined
  /** The number of bytes the client announced. */
  readonly announcedBytes?: number | undefined
  /** The namespace it belongs to where it names none itself; by default `default`. */
  readonly belongsTo?: () => string
  /** What is wrong with the request as a message of HTTP, if anything is. */
  readonly problem?: string | undefined
  /** Aborted when the client leaves. A function, because most requests are over before anyone asks. */
  readonly left?: () => AbortSignal
}

/** Whether a request changes nothing. */
export function isSafeMethod({ method }: Pick<Incoming, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A header with one value; an empty text when it is missing. */
export function headerOf(incoming: Pick<Incoming, 'headers'>, name: string): string {
  const value = incoming.headers[name]
  return typeof value === 'string' ? value : (value?.join(', ') ?? '')
}
