import type { PacedBody, PacedPiece } from '../../gateway/reply.ts'
import { shapedPieces, type ErrorEvent } from '../../gateway/shaped-pieces.ts'
import { countTokens } from '../../text/tokens.ts'
import type { AskedShape } from './shape.ts'
import { messageOf, type Trouble } from './trouble.ts'
import type { Utterance } from './utterance.ts'

/** @assumed §4.8 headers of streams are not shown; wire §8.4. */
export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
}

/** How a dialect writes a stream. */
export interface Dialect {
  /** What comes before the first token; may be empty. */
  readonly opening: string
  /** What an utterance looks like; empty when nothing is to be sent for it. */
  readonly write: (utterance: Utterance) => string
  /** What comes after the last token; may be empty. */
  readonly closing: string
  /** An error in the middle, and whether the connection breaks off behind it. */
  readonly error: (status: number, message: string) => { text: string; breaksOff: boolean }
}

/** More than this go out at the client's pace, even if all of it is due. */
const mostAtOnce = 1_000

/** Utterances as the body of a stream, with what its prompt and the rules want to go wrong. */
export function streamOf(
  utterances: readonly Utterance[],
  dialect: Dialect,
  trouble: Trouble | undefined,
  asked: AskedShape | undefined,
): PacedBody {
  const pieces = piecesOf(utterances, dialect, trouble)
  const isInstant = utterances.length <= mostAtOnce && utterances.at(-1)?.atMs === 0
  if (!asked && !trouble && isInstant) {
    const all = [...pieces]
    return { pieces: all, atOnce: all }
  }
  if (!asked) return { pieces }
  const errorEvent: ErrorEvent = (status, message = messageOf(status)) => dialect.error(status, message)
  return { pieces: shapedPieces(pieces, asked.shape, asked.chance, errorEvent) }
}

/**
 * Utterances as the pieces of a stream. Trouble ends it early: after so many tokens, by an error in the dialect's own
 * words, or by nothing at all.
 */
function* piecesOf(
  utterances: readonly Utterance[],
  { opening, write, closing, error }: Dialect,
  trouble: Trouble | undefined,
): Generator<PacedPiece, void> {
  if (opening !== '') yield { text: opening, atMs: 0, part: 'opening' }
  let tokens = 0
  let atMs = 0
  for (const utterance of utterances) {
    if (trouble && tokens >= trouble.afterTokens) break
    atMs = utterance.atMs
    const text = write(utterance)
    if (text !== '') yield { text, atMs }
    if (trouble) tokens += countTokens(utterance.text)
  }
  if (!trouble) {
    if (closing !== '') yield { text: closing, atMs, part: 'closing' }
    return
  }
  const { text, breaksOff } = trouble.kind === 'cut' ? cut : error(trouble.status, trouble.message)
  yield { text, atMs, part: trouble.kind, ...(breaksOff ? { breaksOff } : {}) }
}

const cut = { text: '', breaksOff: true }

/** A body that breaks off in the middle. */
export function cutInHalf(text: string): PacedBody {
  return { pieces: [{ text: text.slice(0, text.length / 2), atMs: 0, breaksOff: true }] }
}
