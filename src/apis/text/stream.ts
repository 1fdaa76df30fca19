import { inOnePiece } from '../../engine/one-piece.ts'
import type { PacedBody, PacedPiece, WholeStream } from '../../gateway/replies/reply.ts'
import { shapedPieces, type ErrorEvent } from './shaped-pieces.ts'
import type { TextTiming } from '../../text/spec.ts'
import { countTokens } from '../../text/tokens.ts'
import type { BilledAnswer } from './generate-answer.ts'
import { messageOf, type Trouble } from './trouble.ts'
import { isInstant, spokenUtterances, type TextDelta } from './text-delta.ts'

/**
 * The headers of a stream, without `Connection`: the server writes that one, since it depends on the request (RFC 9112 §9.6).
 * @assumed §4.8 headers of streams are not shown; wire §8.4.
 */
export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}

/** What stands around each event of a stream: it tells which answer it belongs to. */
export interface Frame {
  readonly before: string
  readonly after: string
}

/** How a dialect writes a stream. Events are written without their frame, since that is all in which two of an answer differ. */
export interface Dialect {
  readonly frame: Frame
  /** What comes before the first token; may be none. */
  readonly opening: readonly string[]
  /** What an utterance looks like; none when nothing is to be sent for it. */
  readonly write: (utterance: TextDelta) => readonly string[]
  /** What comes after the last token; may be none. */
  readonly closing: readonly string[]
  /** The end of the stream, which has no frame; may be empty. */
  readonly end: string
  /** An error in the middle, and whether the connection breaks off behind it. */
  readonly error: (status: number, message: string) => { text: string; breaksOff: boolean }
}

/** The events that are due together. */
interface Step {
  readonly events: readonly string[]
  readonly atMs: number
  readonly part?: 'opening' | 'closing'
}

/** More than this go out at the client's pace, even if all of it is due. */
const maxConcurrent = 1_000

/** Answers of more tokens are written while they are sent. */
const maxWrittenAhead = 4_000

/** An answer as the body of a stream, with what its prompt and the rules want to go wrong. */
export function streamOf(spoken: BilledAnswer, pace: TextTiming, dialect: Dialect): PacedBody {
  const { question, answer, asked } = spoken
  const { trouble } = question
  const utterances = (): readonly TextDelta[] => spokenUtterances(spoken, pace)
  const { usage } = answer
  if (!asked && !trouble && isInstant(pace) && usage.answer + usage.thoughts <= maxWrittenAhead) {
    const steps = question.written(answer, () => [...stepsOf(utterances(), dialect)])
    const pieces = piecesOf(steps, dialect)
    return steps.length <= maxConcurrent ? { pieces, atOnce: () => wholeOf(steps, dialect) } : { pieces }
  }
  const pieces = trouble
    ? troubled(utterances(), dialect, trouble)
    : piecesOf(stepsOf(utterances(), dialect), dialect)
  if (!asked) return { pieces }
  const errorEvent: ErrorEvent = (status, message = messageOf(status)) => dialect.error(status, message)
  return { pieces: shapedPieces(pieces, asked.shape, asked.draw, errorEvent) }
}

function wholeOf(steps: readonly Step[], { frame: { before, after }, end }: Dialect): WholeStream {
  const between = inOnePiece(after + before)
  let text = ''
  let chunks = 0
  for (const { events, part } of steps) {
    for (const event of events) text = (text === '' ? before : text + between) + event
    if (part === undefined) chunks++
  }
  return { text: text === '' ? end : text + after + end, chunks }
}

function* piecesOf(
  steps: Iterable<Step>,
  { frame: { before, after }, end }: Dialect,
): Generator<PacedPiece, void> {
  for (const { events, atMs, part } of steps) {
    let text = ''
    for (const event of events) text += before + event + after
    if (part === 'closing') text += end
    if (text !== '') yield part === undefined ? { text, atMs } : { text, atMs, part }
  }
}

/** Trouble ends a stream early: after so many tokens, by an error in the dialect's own words, or by nothing at all. */
function* troubled(
  utterances: readonly TextDelta[],
  dialect: Dialect,
  trouble: Trouble,
): Generator<PacedPiece, void> {
  let atMs = 0
  for (const step of stepsOf(first(utterances, trouble.afterTokens), dialect)) {
    atMs = step.atMs
    if (step.part !== 'closing') yield* piecesOf([step], dialect)
  }
  const { text, breaksOff } = trouble.kind === 'cut' ? cut : dialect.error(trouble.status, trouble.message)
  yield { text, atMs, part: trouble.kind, ...(breaksOff ? { breaksOff } : {}) }
}

const cut = { text: '', breaksOff: true }

/** The utterances up to so many tokens, to the end of the last. */
function* first(utterances: readonly TextDelta[], tokens: number): Generator<TextDelta, void> {
  let said = 0
  for (const utterance of utterances) {
    if (said >= tokens) return
    yield utterance
    said += countTokens(utterance.text)
  }
}

/** What is said, step by step. The last is what closes it, if only by the end of the stream. */
function* stepsOf(
  utterances: Iterable<TextDelta>,
  { opening, write, closing }: Dialect,
): Generator<Step, void> {
  if (opening.length > 0) yield { events: opening, atMs: 0, part: 'opening' }
  let atMs = 0
  for (const utterance of utterances) {
    atMs = utterance.atMs
    const events = write(utterance)
    if (events.length > 0) yield { events, atMs }
  }
  yield { events: closing, atMs, part: 'closing' }
}

/** A body that breaks off in the middle. */
export function cutInHalf(text: string): PacedBody {
  return { pieces: [{ text: text.slice(0, text.length / 2), atMs: 0, breaksOff: true }] }
}
