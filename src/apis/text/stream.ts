import { sampleDuration } from '../../engine/random/distribution.ts'
import type { PacedBody, PacedPiece, WholeStream } from '../../gateway/replies/reply.ts'
import type { Draw } from '../../scenario/faults/fault.ts'
import { cutAfter } from '../../scenario/rules/rule.ts'
import type { StreamShape } from '../../scenario/vocabulary/types.ts'
import type { TextTiming } from '../../text/spec.ts'
import { countTokens } from '../../text/tokens.ts'
import type { BilledAnswer } from './answer.ts'
import type { CallDialect } from './calls/dialect.ts'
import { messageFor, type PromptFault } from '../../text/directives.ts'
import type { TextDelta } from './delta.ts'
import { isInstant, layOutDeltas } from './text-delta.ts'
import { resetInBody } from '../../engine/connection-end.ts'

/**
 * The headers of a stream. The server sets `Connection`, because it depends on the request (RFC 9112 §9.6).
 * @assumed §4.8 headers of streams are undocumented; wire §8.4.
 */
export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}

/** A named server-sent event. */
export function namedEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The stream format of an API. All texts are complete events. */
interface StreamFormat {
  /** Sent before the first token. */
  readonly opening: string
  readonly write: (delta: TextDelta) => string
  /** Sent after the last token, before the end. */
  readonly closing: () => string
  readonly end: string
  /** How the gateway streams calls, if not in the usual way. */
  readonly calls?: CallDialect | undefined
  /** The piece that marks the answer as complete: the last delta, with its finish reason, or the closing piece. */
  readonly final: 'delta' | 'closing'
  /** An error as an event, and whether the connection is closed after it. */
  readonly error: (status: number, message: string) => { text: string; breaksOff: boolean }
}

/** Longer streams are written as fast as the client reads them. */
const maxDeltasAtOnce = 1_000

/** An answer as the body of a stream, with the effects of rules and of its prompt. */
export function streamOf(billed: BilledAnswer, pace: TextTiming, format: StreamFormat): PacedBody {
  const { promptFault, shape } = billed
  const all = layOutDeltas(billed, pace)
  const deltas = format.calls?.arrange?.(all) ?? all
  const pieces = promptFault
    ? failAfter(deltas, format, promptFault)
    : piecesOf(deltas, format, deltas.at(-1))
  if (shape) return { pieces: shapePieces(pieces, shape.stream, shape.draw, format.error) }
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

/** @param lastDelta the last delta of the whole answer. */
function* piecesOf(
  deltas: readonly TextDelta[],
  { opening, write, closing, end, final }: StreamFormat,
  lastDelta: TextDelta | undefined,
): Generator<PacedPiece, void> {
  if (opening !== '') yield { text: opening, atMs: 0, part: 'opening' }
  let atMs = 0
  for (const delta of deltas) {
    atMs = delta.atMs
    const text = write(delta)
    const isFinal = final === 'delta' && delta === lastDelta
    if (text !== '') yield { text, atMs, ...(isFinal && { isFinal }) }
  }
  const last = closing() + end
  if (last !== '') yield { text: last, atMs, part: 'closing', isFinal: true }
}

/** Ends a stream early, after the directive's number of tokens: with an error, or by closing the connection. */
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
  yield* piecesOf(sent, { ...format, closing: () => '', end: '' }, deltas.at(-1))
  const atMs = sent.at(-1)?.atMs ?? 0
  const { text, breaksOff } =
    fault.kind === 'cut' ? { text: '', breaksOff: true } : format.error(fault.status, fault.message)
  yield { text, atMs, part: fault.kind, ...(breaksOff ? { breaksOff } : {}) }
}

/** Replaces the text of a chunk in its template. */
const placeholder = '[text of a chunk]'

/** Encodes texts. Most chunks of an answer differ only in their text, so the rest of them is encoded once. */
export function encodeTexts(encode: (text: string) => string): (text: string) => string {
  const [before, after, ...more] = encode(placeholder).split(JSON.stringify(placeholder))
  if (after === undefined || more.length > 0) return encode
  return (text) => before + JSON.stringify(text) + after
}

/** A body that breaks off in the middle. */
export function cutInHalf(text: string): PacedBody {
  return { pieces: [{ text: text.slice(0, text.length / 2), atMs: 0, breaksOff: true }] }
}

const defaultStatus = 500

/**
 * Applies the pause, error and cut of a rule to the pieces of any stream, each after a number of chunks. The text and pace
 * of a rule are applied where the pieces are created.
 */
export function* shapePieces(
  pieces: Iterable<PacedPiece>,
  { stall, error, cut }: Pick<StreamShape, 'stall' | 'error' | 'cut'>,
  draw: Draw,
  writeError: StreamFormat['error'],
): Generator<PacedPiece, void> {
  const endsAfter = Math.min(error?.afterChunk ?? Infinity, cutAfter(cut))
  const stallMs = stall === undefined ? 0 : (sampleDuration(stall.for, draw('stall')) ?? Infinity)
  let chunks = 0
  let atMs = 0
  for (const piece of pieces) {
    if (piece.part !== 'opening' && chunks >= endsAfter) break
    if (piece.part === undefined) chunks++
    const laterMs = stall !== undefined && chunks > stall.afterChunk ? stallMs : 0
    atMs = piece.atMs + laterMs
    yield laterMs === 0 ? piece : { ...piece, atMs }
    // Takes no piece that isn't sent, because creating one may count events.
    if (piece.part === undefined && chunks === endsAfter) break
  }
  if (chunks < endsAfter) return
  if (stall?.afterChunk === endsAfter) atMs += stallMs
  yield cutAfter(cut) === endsAfter
    ? { text: '', atMs, part: 'cut' }
    : { ...endWithError(error!, writeError), atMs, part: 'error' }
}

function endWithError(
  { kind = 'event', status = defaultStatus, message }: NonNullable<StreamShape['error']>,
  writeError: StreamFormat['error'],
): Pick<PacedPiece, 'text' | 'breaksOff'> {
  if (kind === 'reset') return { text: '', breaksOff: resetInBody }
  if (kind === 'close') return { text: '', breaksOff: true }
  const { text, breaksOff } = writeError(status, message ?? messageFor(status))
  return { text, ...(breaksOff ? { breaksOff } : {}) }
}
