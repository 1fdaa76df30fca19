import type { Outcome } from '../gateway/journal.ts'
import { BrokenOff } from './in-time.ts'

/**
 * Pieces as the body of a Response. They are asked for as fast as the client reads, and no faster.
 *
 * @param leaving aborted when the request is; a client that lets go of the body aborts it too.
 * @param settle told once how it ended, and after how many bytes.
 */
export function pacedStream(
  pieces: AsyncGenerator<string, void>,
  leaving: AbortController,
  settle: (outcome: Outcome, bytes: number) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let bytes = 0
  let over = false
  const end = (outcome: Outcome): void => {
    if (!over) settle(outcome, bytes)
    over = true
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const leave = (): void => {
          if (over) return
          end('aborted')
          controller.error(leaving.signal.reason)
        }
        leaving.signal.addEventListener('abort', leave, { once: true })
      },
      async pull(controller) {
        try {
          const next = await pieces.next()
          if (over) return
          if (next.done) {
            end('completed')
            return controller.close()
          }
          const chunk = encoder.encode(next.value)
          bytes += chunk.length
          controller.enqueue(chunk)
        } catch (error) {
          if (over) return
          end('failed')
          // What a broken connection looks like to whoever fetches.
          controller.error(error instanceof BrokenOff ? new TypeError('terminated') : error)
        }
      },
      cancel(reason) {
        end('aborted')
        leaving.abort(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
