import { bytesOf, type PacedPiece } from '../../../engine/reply.ts'
import { defineFault } from '../fault.ts'
import { brokenBytes } from '../good-clients.ts'
import { mapPieces } from './map-pieces.ts'

export const splitCharacter = defineFault({
  name: 'split-character',
  description: 'A stream is cut inside a character of several bytes.',
  fields: {},
  hits: ['text', 'stream'],
  visibleIn: 'content',
  isHarmless: true,
  goodClient: { ...brokenBytes, reaction: 'decode', rank: 2 },
  explored: { at: ['stream'] },

  isProvenLate: true,
  apply: (reply, _, { onEffect }) =>
    mapPieces(reply, (pieces) => splitPieces(pieces, onEffect ?? (() => {}))),
})

/** Splits each piece inside its first multi-byte character. Joined, the bytes are the same. */
function* splitPieces(pieces: Iterable<PacedPiece>, onSplit: () => void): Generator<PacedPiece, void> {
  for (const piece of pieces) {
    const bytes = bytesOf(piece.text)
    const wide = bytes.findIndex((byte) => byte > 0x7f)
    if (wide < 0) {
      yield piece
      continue
    }
    onSplit()
    yield { text: '', bytes: bytes.subarray(0, wide + 1), atMs: piece.atMs, part: 'half' }
    yield { ...piece, text: '', bytes: bytes.subarray(wide + 1) }
  }
}
