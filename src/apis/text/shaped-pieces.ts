import { sampleDuration } from '../../engine/random/distribution.ts'
import { cutAfter } from '../../scenario/rules/rule.ts'
import type { StreamShape } from '../../scenario/vocabulary/types.ts'
import type { Draw } from '../../scenario/faults/fault.ts'
import type { PacedPiece } from '../../engine/reply.ts'

/**
 * How a dialect writes an error into a stream, and whether the connection breaks off behind it. Without a message it
 * says what goes with the status.
 */
export type ErrorEvent = (status: number, message?: string) => { text: string; breaksOff: boolean }

const defaultStatus = 500

/**
 * Applies the pause, the error and the cut of a rule to the pieces of any stream, each after a number of chunks. Pure; what
 * a rule says about text and pace is applied where the pieces are made.
 *
 * @param errorEvent the error in the words of the stream's dialect.
 */
export function* shapedPieces(
  pieces: Iterable<PacedPiece>,
  { stall, error, cut }: Pick<StreamShape, 'stall' | 'error' | 'cut'>,
  draw: Draw,
  errorEvent: ErrorEvent,
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
    // No piece is taken that isn't sent: making one may count events.
    if (piece.part === undefined && chunks === endsAfter) break
  }
  if (chunks < endsAfter) return
  if (stall?.afterChunk === endsAfter) atMs += stallMs
  yield cutAfter(cut) === endsAfter
    ? { text: '', atMs, part: 'cut' }
    : { ...failing(error!, errorEvent), atMs, part: 'error' }
}

function failing(
  { kind = 'event', status = defaultStatus, message }: NonNullable<StreamShape['error']>,
  errorEvent: ErrorEvent,
): Pick<PacedPiece, 'text' | 'breaksOff'> {
  if (kind === 'reset') return { text: '', breaksOff: 'reset' }
  if (kind === 'close') return { text: '', breaksOff: true }
  const { text, breaksOff } = errorEvent(status, message)
  return { text, ...(breaksOff ? { breaksOff } : {}) }
}
