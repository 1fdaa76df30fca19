/**
 * A response as data. Nothing about it is decided later: a transport only carries it out.
 *
 * @typeParam Media what names the bytes of a body that is made on demand.
 */
export interface Reply<Media = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: ReplyBody<Media>
  /** How long the transport waits on the clock before it responds. Infinity: until the client leaves. */
  readonly delayMs: number
  /** What a fault does to its bytes. */
  readonly effect?: ByteEffect
}

export type ReplyBody<Media = unknown> = string | null | MediaBody<Media> | PacedBody | PushedBody

export type Headers = Readonly<Record<string, string>>

/** A stream: text in pieces, each with the time at which it is due. */
export interface PacedBody {
  /** In the order in which they are due. Iterated once, as far as the client stays. */
  readonly pieces: Iterable<PacedPiece>
  /** The whole stream as one string, if nothing is delayed or faulty and it is short. */
  readonly atOnce?: () => WholeStream
  /** Called when the client leaves. */
  readonly onLeave?: () => void
}

/** A stream that reports what happens, until its client leaves. The clock has no part in it. */
export interface PushedBody {
  /** Begins it. @param left aborted when the client leaves. */
  readonly open: (left: AbortSignal) => AsyncIterable<string>
  /** Aborted when the client reads too slowly: its connection is closed. */
  readonly cutOff: AbortSignal
}

/** A stream as one text. */
export interface WholeStream {
  readonly text: string
  /** How many chunks it has. */
  readonly chunks: number
}

export interface PacedPiece {
  readonly text: string
  /** More text, which comes later. */
  readonly later?: Promise<string>
  /** In place of the text: bytes that are no valid text, such as half a character. They are sent alone. */
  readonly bytes?: Uint8Array
  /** When it is due, in milliseconds of the clock since the response began: since admission, plus delays by rules. */
  readonly atMs: number
  /** Set when the connection is closed, or reset, after it. */
  readonly breaksOff?: true | 'reset'
  /** Set when the piece is framing (opening, closing), half a chunk, or an early end. */
  readonly part?: 'opening' | 'closing' | 'half' | 'error' | 'cut'
  /** Whether it says that the stream is complete: a client may leave after it. */
  readonly isFinal?: boolean
}

/** Bytes that are made on demand. */
export interface MediaBody<Media = unknown> {
  readonly media: Media
  readonly conditions: Conditions
  /** The response when the bytes can't be made. */
  readonly failed: { readonly status: number; readonly body: string }
}

/** The conditional and range headers of a request for bytes, and what overrides the headers of the response. */
export interface Conditions {
  readonly method: string
  /** Whether ranges are supported at all. */
  readonly takesRanges: boolean
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

/** How a connection ends before a response is there. */
export type NoResponse = 'reset' | 'close' | 'half-headers' | 'garbage'

/** How a connection ends in the middle of a body. */
export type BodyBreak = 'close' | 'reset' | 'malformed-chunk'

/** What happens to the bytes of a response on their way. The same for every transport. */
export interface ByteEffect {
  /** What was drawn or given for it: recordings compare it. */
  readonly drawn?: unknown
  /** Set when there is no response: how the connection ends. */
  readonly noResponse?: NoResponse
  /** Changes the body, from the moment at which its headers are sent. May throw {@link ConnectionBreak}. */
  readonly carry?: (body: Chunks, wire: Wire) => Chunks
  /** Whether bytes differ from those that were announced. The journal says so. */
  readonly isAltered?: boolean
  /** Whether the body is sent without its length, in chunks of HTTP/1.1. */
  readonly isChunked?: boolean
}

/** What an effect can use of the exchange. */
export interface Wire {
  /** The length of the whole body; of a stream, of all its pieces. */
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
  /** Set when the stream ends early with it. */
  readonly ended?: 'error' | 'cut'
  /** Whether it is flushed by itself, before what follows. */
  readonly isAlone?: boolean
  /** Whether a client that has it knows that the stream is complete. */
  readonly isFinal?: boolean
}

export type Chunks = AsyncGenerator<Chunk, void>

/** Thrown where a connection is to be closed or reset, or to go on with what is no HTTP. */
export class ConnectionBreak extends Error {
  override name = 'ConnectionBreak'
  readonly how: BodyBreak
  /** How a stream ends by it. */
  readonly ended: 'error' | 'cut'

  constructor(how: BodyBreak, ended: 'error' | 'cut' = 'error') {
    super(`The response breaks off here (${how}).`)
    this.how = how
    this.ended = ended
  }
}

const encoder = new TextEncoder()

/** The bytes of a chunk: text is sent as UTF-8. */
export function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data
}
