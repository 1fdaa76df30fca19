import type { PacedBody, PacedPiece, WholeStream } from '../../gateway/replies/reply.ts'
import { shapedPieces } from './shaped-pieces.ts'
import type { TextTiming } from '../../text/spec.ts'
import { countTokens } from '../../text/tokens.ts'
import type { BilledAnswer } from './answer.ts'
import { messageFor, type PromptFault } from './prompt-fault.ts'
import { isInstant, layOutDeltas, type TextDelta } from './text-delta.ts'

/**
 * The headers of a stream. `Connection` is written by the server, since it depends on the request (RFC 9112 §9.6).
 * @assumed §4.8 headers of streams are undocumented; wire §8.4.
 */
export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}

/** How an API writes a stream. All texts are complete events. */
export interface StreamFormat {
  /** Sent before the first token. */
  readonly opening: readonly string[]
  readonly write: (delta: TextDelta) => readonly string[]
  /** Sent after the last token, before the end. */
  readonly closing: () => readonly string[]
  readonly end: string
  readonly error: (status: number, message: string) => { text: string; breaksOff: boolean }
}

/** Longer streams are written as fast as the client reads them. */
const maxDeltasAtOnce = 1_000

/** An answer as the body of a stream, with what rules and its prompt make of it. */
export function streamOf(billed: BilledAnswer, pace: TextTiming, format: StreamFormat): PacedBody {
  const { promptFault, shape } = billed
  const deltas = layOutDeltas(billed, pace)
  const pieces = promptFault ? failAfter(deltas, format, promptFault) : piecesOf(deltas, format)
  if (shape) {
    const errorEvent = (status: number, message = messageFor(status)): ReturnType<StreamFormat['error']> =>
      format.error(status, message)
    return { pieces: shapedPieces(pieces, shape.stream, shape.draw, errorEvent) }
  }
  const isShort = !promptFault && isInstant(pace) && deltas.length <= maxDeltasAtOnce
  return isShort ? { pieces, atOnce: () => joinPieces(pieces) } : { pieces }
}

function joinPieces(pieces: Iterable<PacedPiece>): WholeStream {
  let text = ''
  let chunks = 0
  for (const piece of pieces) {
    text += piece.text
    if (piece.part === undefined) chunks++
  }
  return { text, chunks }
}

function* piecesOf(
  deltas: readonly TextDelta[],
  { opening, write, closing, end }: StreamFormat,
): Generator<PacedPiece, void> {
  if (opening.length > 0) yield { text: opening.join(''), atMs: 0, part: 'opening' }
  let atMs = 0
  for (const delta of deltas) {
    atMs = delta.atMs
    const events = write(delta)
    if (events.length > 0) yield { text: events.join(''), atMs }
  }
  const last = closing().join('') + end
  if (last !== '') yield { text: last, atMs, part: 'closing' }
}

/** Ends a stream early: after so many tokens as the directive says, with an error or without a word. */
function* failAfter(
  deltas: readonly TextDelta[],
  format: StreamFormat,
  fault: PromptFault,
): Generator<PacedPiece, void> {
  let tokens = 0
  const sent = deltas.filter(({ text }) => {
    const isSent = tokens < fault.afterTokens
    tokens += countTokens(text)
    return isSent
  })
  yield* piecesOf(sent, { ...format, closing: () => [], end: '' })
  const atMs = sent.at(-1)?.atMs ?? 0
  const { text, breaksOff } =
    fault.kind === 'cut' ? { text: '', breaksOff: true } : format.error(fault.status, fault.message)
  yield { text, atMs, part: fault.kind, ...(breaksOff ? { breaksOff } : {}) }
}

/** Stands for the text of a chunk in its template. */
const placeholder = '[text of a chunk]'

/** Most chunks of an answer differ in their text only: encodes the rest of them once. */
export function encodeTexts(encode: (text: string) => string): (text: string) => string {
  const [before, after, ...more] = encode(placeholder).split(JSON.stringify(placeholder))
  if (after === undefined || more.length > 0) return encode
  return (text) => before + JSON.stringify(text) + after
}

/** A body that breaks off in the middle. */
export function cutInHalf(text: string): PacedBody {
  return { pieces: [{ text: text.slice(0, text.length / 2), atMs: 0, breaksOff: true }] }
}
