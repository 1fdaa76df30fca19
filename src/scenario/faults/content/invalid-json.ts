import type { PacedPiece } from '../../../engine/reply.ts'
import { defineFault } from '../fault.ts'
import { brokenBytes } from '../good-clients.ts'
import { mapPieces } from './map-pieces.ts'

export const invalidJson = defineFault({
  name: 'invalid-json',
  description:
    'The JSON ends in the middle, with a correct length of the body. In a stream, this happens to one event.',
  fields: {},
  hits: 'any',
  visibleIn: 'content',
  goodClient: { ...brokenBytes, rank: 2 },
  explored: { at: ['submit', 'poll', 'text', 'read', 'change'] },

  apply: (reply) =>
    typeof reply.body === 'string'
      ? { ...reply, body: firstHalf(reply.body) }
      : mapPieces(reply, breakMiddleEvent),
})

const eventData = /^((?:event: .*\r?\n)?data: )([\s\S]*?)(\r\n\r\n|\n\n)/

/** The final event stays intact: a broken one would not tell the client that the stream is complete. */
function breakMiddleEvent(pieces: Iterable<PacedPiece>): readonly PacedPiece[] {
  const all = [...pieces]
  const chunks = all.flatMap(({ part }, index) => (part === undefined ? [index] : []))
  const chosen = chunks[Math.floor(chunks.length / 2)]
  return all.map((piece, index) =>
    index === chosen ? { ...piece, text: breakEvent(piece.text), isFinal: false } : piece,
  )
}

function breakEvent(text: string): string {
  const [event, field, data, end] = eventData.exec(text) ?? []
  return event === undefined
    ? firstHalf(text)
    : `${field}${firstHalf(data!)}${end}${text.slice(event.length)}`
}

function firstHalf(text: string): string {
  const characters = [...text]
  return characters.slice(0, Math.ceil(characters.length / 2)).join('')
}
