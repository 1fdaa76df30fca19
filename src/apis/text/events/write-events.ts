import type { PacedPiece, Reply } from '../../../gateway/replies/reply.ts'
import type { Quirks } from '../../../scenario/vocabulary/types.ts'
import { writeEvent } from './dialect.ts'
import { eventDialects } from './lists.ts'

const newlines = { lf: '\n', crlf: '\r\n', cr: '\r' } as const

/** Writes the events of a stream as the gateway does. Each piece of the stream is a number of whole events. */
export function writeEvents(reply: Reply, { sseNewline, sseLines }: Quirks): Reply {
  const dialect = eventDialects.find(({ name }) => name === sseLines)
  const newline = newlines[sseNewline]
  const { body, headers } = reply
  if (!dialect && newline === '\n') return reply
  if (body === null || typeof body === 'string' || !('pieces' in body)) return reply
  if (headers['Content-Type'] !== 'text/event-stream') return reply
  const { write = writeEvent } = dialect ?? {}
  const rewriter = (): ((text: string, isEnd: boolean) => string) => {
    let index = 0
    return (text, isEnd) => {
      const events = text.split('\n\n').filter((event) => event !== '')
      const written = events.map((event, at) =>
        write(event.split('\n'), { index: index++, isLast: isEnd && at === events.length - 1 }),
      )
      return written.join('').replaceAll('\n', newline)
    }
  }
  const { pieces, atOnce } = body
  return {
    ...reply,
    body: {
      ...body,
      pieces: rewritePieces(pieces, rewriter()),
      ...(atOnce && {
        atOnce: () => {
          const { text, chunks } = atOnce()
          return { text: rewriter()(text, true), chunks }
        },
      }),
    },
  }
}

/** Holds each piece until it is known whether it is the last one. */
function* rewritePieces(
  pieces: Iterable<PacedPiece>,
  rewrite: (text: string, isEnd: boolean) => string,
): Generator<PacedPiece, void> {
  let held: PacedPiece | undefined
  for (const piece of pieces) {
    if (held) yield { ...held, text: rewrite(held.text, false) }
    held = piece
  }
  if (held) yield { ...held, text: rewrite(held.text, true) }
}
