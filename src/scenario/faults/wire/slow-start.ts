import { sampleDuration } from '../../../engine/random/distribution.ts'
import type { Chunks, PacedPiece } from '../../../engine/reply.ts'
import { must } from '../../schema/fields.ts'
import { durationSpec } from '../../schema/values.ts'
import { defineFault } from '../fault.ts'
import { slowness } from '../good-clients.ts'

export const slowStart = defineFault({
  name: 'slow-start',
  description: 'The headers are sent at once, the body later.',
  fields: { for: must(durationSpec, 'The delay of the body.', '5s') },
  example: '{ type: slow-start, for: 5s }',
  hits: 'any',
  visibleIn: 'time',
  isHarmless: true,
  goodClient: { ...slowness, rank: 2 },
  explored: { fields: { for: '20s' } },

  apply(reply, fault, { draw }) {
    const waitMs = sampleDuration(fault.for, draw('slow-start')) ?? Infinity
    const { body } = reply
    const isStream = typeof body === 'object' && body !== null && 'pieces' in body
    if (!isStream)
      return {
        ...reply,
        effect: { drawn: waitMs, carry: (chunks, { wait }) => sendLater(chunks, () => wait(waitMs)) },
      }
    return {
      ...reply,
      // The whole stream is late, not only its first piece.
      body: { pieces: delayPieces(body.pieces, waitMs) },
      effect: { drawn: waitMs, carry: (chunks) => sendLater(chunks) },
    }
  },
})

async function* sendLater(body: Chunks, wait?: () => Promise<void>): Chunks {
  // Flushes the headers.
  yield { data: '', isAlone: true }
  await wait?.()
  yield* body
}

function* delayPieces(pieces: Iterable<PacedPiece>, laterMs: number): Generator<PacedPiece, void> {
  for (const piece of pieces) yield { ...piece, atMs: piece.atMs + laterMs }
}
