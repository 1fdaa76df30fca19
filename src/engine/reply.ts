import type { ConnectionEnd } from './connection-end.ts'

/**
 * A response: its head as data, its body as data or as functions that make it while it is sent. A transport only carries it out.
 *
 * @typeParam Media describes the bytes of a body that is rendered on demand.
 */
export interface Reply<Media = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: ReplyBody<Media>
  /** How long the transport waits on the clock before it responds. Infinity: until the client leaves. */
  readonly delayMs: number
  /** What is inserted into its text when that is sent. */
  readonly inserts?: Inserts<Media>
  /** What a fault does to its bytes. */
  readonly effect?: ByteEffect
  /** Of a callback: what a fault does to its delivery. Default: it is delivered once. */
  readonly delivery?: Delivery
}

/** How a callback is delivered, if not once and in order. */
export interface Delivery {
  /** How often it is sent. Default 1. */
  readonly times?: 0 | 2
  /** Whether the next one of its task overtakes it. */
  readonly isOvertaken?: true
  /** Another message: before it, a false one, whose signature is wrong; or after it, the first one of its task again. */
  readonly also?: 'false' | 'first'
}

/** Bytes that are made on demand. Their base64 replaces marks in the text of a body, plain or streamed. */
export interface Inserts<Media = unknown> {
  /** By mark, of letters that JSON doesn't escape. */
  readonly media: ReadonlyMap<string, Media>
  /** The response when the bytes can't be made. */
  readonly failed: MediaBody['failed']
}

export type ReplyBody<Media = unknown> = string | null | MediaBody<Media> | PacedBody | PushedBody

export type Headers = Readonly<Record<string, string>>

/** A stream: text in pieces, each with the time at which it is due. */
export interface PacedBody {
  /** In the order in which they are due. Iterated once, until the client leaves. */
  readonly pieces: Iterable<PacedPiece>
  /** The whole stream as one string, if nothing is delayed or faulty and it is short. */
  readonly atOnce?: () => WholeStream
  /** Called when the client leaves. */
  readonly onLeave?: () => void
}

/** A stream of events that are sent as they happen, until its client leaves. It doesn't use the clock. */
export interface PushedBody {
  /** Begins the stream. @param left aborted when the client leaves. */
  readonly open: (left: AbortSignal) => AsyncIterable<Uint8Array>
  /** Aborted when the client reads too slowly: its connection is closed. */
  readonly cutOff: AbortSignal
}

/** A whole stream as one text. */
export interface WholeStream {
  readonly text: string
  /** How many chunks the stream has. */
  readonly chunks: number
}

export interface PacedPiece {
  readonly text: string
  /** More text, which follows later. */
  readonly later?: Promise<string>
  /** Sent alone in place of the text: bytes that are not valid text, such as half a character. */
  readonly bytes?: Uint8Array
  /** When it is due on the clock, in milliseconds since admission, plus delays by rules. */
  readonly atMs: number
  /** How the connection ends after this piece; `true`: it is closed. */
  readonly breaksOff?: true | ConnectionEnd
  /** Set when the piece is framing (opening, closing), half a chunk, or an early end. */
  readonly part?: 'opening' | 'closing' | 'half' | 'error' | 'cut'
  /** Whether it announces the end of the stream: a client may leave after it. */
  readonly isFinal?: boolean
}

/** Bytes that are rendered on demand. */
export interface MediaBody<Media = unknown> {
  readonly media: Media
  readonly conditions: Conditions
  /** The response when the bytes can't be made. */
  readonly failed: { readonly status: number; readonly body: string }
}

/** The conditional and range headers of a request for bytes, and what overrides the headers of the response. */
export interface Conditions {
  readonly method: string
  readonly range: string
  readonly ifRange: string
  readonly ifNoneMatch: string
  /** Sent in place of the media type of the bytes. */
  readonly mediaType?: string
  /** Headers of any response that has the bytes. */
  readonly headers: Headers
  /** Headers that a rule adds or replaces. */
  readonly instead?: Headers
}

/** What happens to the bytes of a response on their way. The same for every transport. */
export interface ByteEffect {
  /** The drawn or configured value, which recordings compare. */
  readonly drawn?: unknown
  /** Set when there is no response: how the connection ends instead. */
  readonly noResponse?: ConnectionEnd
  /** Changes the body once its headers are sent. May throw {@link ConnectionBreak}. */
  readonly carry?: (body: Chunks, wire: Wire) => Chunks
  /** Whether the bytes differ from the announced ones. The journal records that. */
  readonly isAltered?: boolean
  /** Whether the body is sent without a length, in chunks of HTTP/1.1. */
  readonly isChunked?: boolean
}

/** What an effect may use of its exchange. */
export interface Wire {
  /** The length of the whole body; for a stream, of all its pieces. */
  readonly totalBytes: number
  /** The time of the exchange's clock. */
  readonly now: () => number
  /** Waits on the exchange's clock. Rejects when the client leaves. */
  readonly wait: (durationMs: number) => Promise<void>
}

/** Part of a body, as a transport sends it. */
export interface Chunk {
  readonly data: string | Uint8Array
  /** How many chunks of a stream it completes; undefined if the body is no stream. */
  readonly chunks?: number
  /** Set when the stream ends early with this chunk. */
  readonly ended?: 'error' | 'cut'
  /** Whether it is flushed separately, before the next chunk. */
  readonly isAlone?: boolean
  /** Whether the client knows after this chunk that the stream is complete. */
  readonly isFinal?: boolean
}

export type Chunks = AsyncGenerator<Chunk, void>

/** Thrown to close or reset a connection, or to continue it with bytes that are not HTTP. */
export class ConnectionBreak extends Error {
  override name = 'ConnectionBreak'
  readonly how: ConnectionEnd
  /** How the break ends a stream. */
  readonly ended: 'error' | 'cut'

  constructor(how: ConnectionEnd, ended: 'error' | 'cut' = 'error') {
    super(`The response breaks off here (${how.name}).`)
    this.how = how
    this.ended = ended
  }
}

const encoder = new TextEncoder()

/** The bytes of a chunk: text is sent as UTF-8. */
export function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data
}

/** Changes the texts of a stream. */
export function* mapTexts(
  pieces: Iterable<PacedPiece>,
  change: (text: string) => string,
): Generator<PacedPiece, void> {
  for (const piece of pieces) yield { ...piece, text: change(piece.text) }
}
