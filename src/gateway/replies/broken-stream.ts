import type { PacedPiece } from './reply.ts'

const event = /^data: [\s\S]*?(?:\r\n\r\n|\n\n)/gm
const eventData = /^(data: )([\s\S]*?)(\r\n\r\n|\n\n)/

/** Every event twice, one behind the other. A stream that has no events, such as an array, stays as it is. */
export function* withDoubledEvents(pieces: Iterable<PacedPiece>): Generator<PacedPiece, void> {
  for (const piece of pieces) {
    yield { ...piece, text: piece.text.replace(event, (whole) => whole + whole) }
  }
}

/**
 * Each piece comes in two, parted inside its first character of several bytes; a piece without one comes whole.
 * Together they are the same bytes.
 */
export function* withSplitCharacters(pieces: Iterable<PacedPiece>): Generator<PacedPiece, void> {
  const encoder = new TextEncoder()
  for (const piece of pieces) {
    // Behind half a character, and in front of its other half, nothing else may be.
    const bytes = encoder.encode(piece.text)
    const wide = bytes.findIndex((byte) => byte > 0x7f)
    if (wide < 0) {
      yield piece
      continue
    }
    const { atMs } = piece
    yield { text: '', bytes: bytes.subarray(0, wide + 1), atMs, part: 'half' }
    yield { ...piece, text: '', bytes: bytes.subarray(wide + 1) }
  }
}

/** One chunk, from the middle of the stream, whose JSON stops half-way; the event itself ends as it should. */
export function withBrokenEvent(pieces: Iterable<PacedPiece>): readonly PacedPiece[] {
  const all = [...pieces]
  const chunks = all.flatMap(({ part }, index) => (part === undefined ? [index] : []))
  const chosen = chunks[Math.floor(chunks.length / 2)]
  return all.map((piece, index) => (index === chosen ? { ...piece, text: halved(piece.text) } : piece))
}

function halved(text: string): string {
  const [whole, field, data, end] = eventData.exec(text) ?? []
  if (whole === undefined) return half(text)
  return `${field}${half(data!)}${end}${text.slice(whole.length)}`
}

function half(text: string): string {
  const characters = [...text]
  return characters.slice(0, Math.ceil(characters.length / 2)).join('')
}
