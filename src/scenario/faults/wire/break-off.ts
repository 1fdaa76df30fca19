import { bytesOf, ConnectionBreak, type BodyBreak, type Chunks, type Reply } from '../../../engine/reply.ts'
import { parseFraction, type Fraction } from '../../schema/fraction.ts'

/** The position at a share of the body. It is never after the last byte, so that at least one is missing. */
export function byteAt(totalBytes: number, share: number): number {
  return Math.max(0, Math.min(totalBytes - 1, Math.floor(totalBytes * share)))
}

/** Ends the connection of a response in the middle of the body. */
export function breakOff<Media>(
  reply: Reply<Media>,
  how: BodyBreak,
  at: Fraction = 0.5,
  minBytes = 0,
): Reply<Media> {
  const share = parseFraction(at) || 0
  const isChunked = how === 'malformed-chunk'
  return {
    ...reply,
    effect: {
      drawn: [how, share],
      isChunked,
      carry: (body, { totalBytes }) => carryUntil(body, Math.max(minBytes, byteAt(totalBytes, share)), how),
    },
  }
}

async function* carryUntil(body: Chunks, stop: number, how: BodyBreak): Chunks {
  let sent = 0
  for await (const chunk of body) {
    const data = bytesOf(chunk.data)
    if (sent + data.length > stop) {
      if (stop > sent) yield { data: data.subarray(0, stop - sent) }
      break
    }
    sent += data.length
    yield { ...chunk, data }
  }
  throw new ConnectionBreak(how, how === 'close' ? 'cut' : 'error')
}
