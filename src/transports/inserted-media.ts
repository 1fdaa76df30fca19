import type { Inserts, PacedPiece } from '../engine/reply.ts'
import { encodeBase64 } from '../gateway/bodies/base64.ts'
import { mediaOf, type MediaSource } from '../media/source.ts'
import type { MediaSpec } from '../media/spec.ts'

/**
 * The text of a body with its marks replaced by base64. The source bounds how much is made at the same time.
 * @throws {RenderFailed} if some bytes can't be made.
 */
export async function insertMedia(
  text: string,
  { media }: Inserts<MediaSpec>,
  source: MediaSource,
  signal: AbortSignal,
): Promise<string> {
  const found = [...media].filter(([mark]) => text.includes(mark))
  const made = await Promise.all(found.map(async ([, spec]) => mediaOf(source, spec, () => signal)))
  return found.reduce(
    (filled, [mark], index) => filled.replaceAll(mark, encodeBase64(made[index]!.bytes)),
    text,
  )
}

/** The pieces of a stream. Those with marks have their text as a promise, which begins when the piece is taken. */
export function* insertInPieces(
  pieces: Iterable<PacedPiece>,
  { media }: Inserts<MediaSpec>,
  fill: (text: string) => Promise<string>,
): Generator<PacedPiece, void> {
  const marks = [...media.keys()]
  for (const piece of pieces) {
    if (!marks.some((mark) => piece.text.includes(mark))) {
      yield piece
      continue
    }
    const later = fill(piece.text)
    // It may fail before the piece is due, when no reader waits for it yet.
    later.catch(() => {})
    yield { ...piece, text: '', later }
  }
}
