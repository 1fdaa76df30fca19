import type { PacedPiece, Reply } from '../../../engine/reply.ts'

/** Maps the pieces of a stream. Any other reply stays unchanged. */
export function mapPieces<Media>(
  reply: Reply<Media>,
  change: (pieces: Iterable<PacedPiece>) => Iterable<PacedPiece>,
): Reply<Media> {
  const { body } = reply
  if (typeof body !== 'object' || body === null || !('pieces' in body)) return reply
  return { ...reply, body: { pieces: change(body.pieces) } }
}
