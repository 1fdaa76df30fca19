import { closedInBody, type ConnectionEnd } from '../../../engine/connection-end.ts'
import { bytesOf, ConnectionBreak, type Chunks, type Reply } from '../../../engine/reply.ts'
import { parseFraction, type Fraction } from '../../schema/values.ts'
import { lost } from '../fault.ts'

/** The position at a share of the body. It is never after the last byte, so that at least one is missing. */
export function byteAt(totalBytes: number, share: number): number {
  return Math.max(0, Math.min(totalBytes - 1, Math.floor(totalBytes * share)))
}

/** What faults have in common that end the connection in place of a response. */
export function breakUnanswered(how: ConnectionEnd) {
  return {
    fields: { lost },
    hits: 'any',
    visibleIn: 'connection',
    ends: [how],
    isSilent: () => true,
    apply: <Media>(reply: Reply<Media>): Reply<Media> => ({ ...reply, effect: { noResponse: how } }),
  } as const
}

/** Ends the connection of a response in the middle of the body. */
export function breakBody<Media>(
  reply: Reply<Media>,
  how: ConnectionEnd,
  {
    at = 0.5,
    minBytes = 0,
    isChunked = false,
  }: { at?: Fraction | undefined; minBytes?: number; isChunked?: boolean },
): Reply<Media> {
  const share = parseFraction(at) || 0
  return {
    ...reply,
    effect: {
      drawn: [how.name, share],
      isChunked,
      carry: (body, { totalBytes }) => carryUntil(body, Math.max(minBytes, byteAt(totalBytes, share)), how),
    },
  }
}

async function* carryUntil(body: Chunks, stop: number, how: ConnectionEnd): Chunks {
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
  throw new ConnectionBreak(how, how === closedInBody ? 'cut' : 'error')
}
