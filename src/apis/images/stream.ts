import type { PacedBody, PacedPiece } from '../../engine/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { drawFor } from '../../scenario/faults/fault.ts'
import type { ImageMarks } from '../painting/marks.ts'
import type { PromptFault } from '../text/prompt-fault.ts'
import { errorWords } from './refusals.ts'
import { shapePieces } from '../text/stream.ts'
import { formOf, type MadeImages } from './answer.ts'

/** What the events of a stream are called. */
export type StreamName = 'image_generation' | 'image_edit'

/**
 * Images as a stream of events: unfinished ones at even intervals, then each finished one.
 * @assumed §4.8 this stream is undocumented; the types of OpenAI's SDK. Its end is that of the response.
 */
export function imageStream(name: StreamName, made: MadeImages, marks: ImageMarks, x: Exchange): PacedBody {
  const { decision, draws, identity, attempt } = x
  const { fault } = made.request
  // All of them now: the marks must be known before the first piece is sent.
  const events = [...eventsOf(name, made, marks)]
  const pieces = fault ? failAfter(events, fault) : events
  if (!decision.stream) return { pieces }
  const draw = drawFor(draws, decision.rules, identity, attempt)
  const writeError = (status: number, message: string): { text: string; breaksOff: boolean } => ({
    text: errorEvent(status, message),
    breaksOff: false,
  })
  return { pieces: shapePieces(pieces, decision.stream, draw, writeError) }
}

function* eventsOf(name: StreamName, made: MadeImages, marks: ImageMarks): Generator<PacedPiece, void> {
  const { request, specs, durationMs, createdAt } = made
  const { output_tokens_details: _details, ...usage } = made.usage
  const { partialImages = 0 } = request
  const form = { created_at: createdAt, ...formOf(made) }
  for (let part = 0; part < partialImages; part += 1) {
    const share = (part + 1) / (partialImages + 1)
    for (const spec of specs) {
      const unfinished = spec.kind === 'file' ? spec : { ...spec, progress: Math.round(100 * share) }
      const type = `${name}.partial_image`
      const event = { type, b64_json: marks.add(unfinished), partial_image_index: part, ...form }
      yield { text: eventText(type, event), atMs: Math.round(durationMs * share) }
    }
  }
  for (const [index, spec] of specs.entries()) {
    const type = `${name}.completed`
    const event = { type, b64_json: marks.add(spec), ...form, usage }
    yield {
      text: eventText(type, event),
      atMs: durationMs,
      ...(index === specs.length - 1 && { isFinal: true }),
    }
  }
}

/** Ends a stream early, after as many events as the directive says. */
function* failAfter(pieces: Iterable<PacedPiece>, fault: PromptFault): Generator<PacedPiece, void> {
  let [sent, atMs] = [0, 0]
  for (const piece of pieces) {
    if (sent >= fault.afterTokens || piece.isFinal) break
    sent += 1
    atMs = piece.atMs
    yield piece
  }
  if (fault.kind === 'cut') yield { text: '', atMs, part: 'cut', breaksOff: true }
  else yield { text: errorEvent(fault.status, fault.message), atMs, part: 'error' }
}

function errorEvent(status: number, message: string): string {
  return eventText('error', { type: 'error', error: { ...errorWords(status), message, param: null } })
}

function eventText(type: string, event: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}
