import type { Outcome } from '../gateway/journal.ts'
import { copiedBy } from './copied.ts'
import { BrokenOff } from './in-time.ts'

/**
 * Pieces as the body of a Response. They are asked for as fast as the client reads, and no faster.
 *
 * @param leaving aborted when the request is; a client that lets go of the body aborts it too.
 * @param settle told once how it ended, and after how many bytes.
 */
export function pacedResponse(
  pieces: AsyncGenerator<string, void>,
  leaving: AbortController,
  settle: (outcome: Outcome, bytes: number) => void,
  init: ResponseInit,
): Response {
  const encoder = new TextEncoder()
  const watchers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let bytes = 0
  let over = false
  const end = (outcome: Outcome, failure?: unknown): void => {
    if (over) return
    over = true
    settle(outcome, bytes)
    for (const watcher of watchers) {
      if (outcome === 'completed') watcher.close()
      else watcher.error(failure)
    }
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const leave = (): void => {
          if (over) return
          controller.error(leaving.signal.reason)
          end('aborted', leaving.signal.reason)
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
          for (const watcher of watchers) watcher.enqueue(chunk)
        } catch (error) {
          if (over) return
          // What a broken connection looks like to whoever fetches.
          const failure = error instanceof BrokenOff ? new TypeError('terminated') : error
          controller.error(failure)
          end(leaving.signal.aborted ? 'aborted' : 'failed', failure)
        }
      },
      cancel(reason) {
        end('aborted', reason)
        leaving.abort(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(
    copiedBy(stream, () => watching(watchers)),
    init,
  )
}

/** What the client reads, for somebody who holds nothing up. */
function watching(watchers: Set<ReadableStreamDefaultController<Uint8Array>>): ReadableStream<Uint8Array> {
  let watcher: ReadableStreamDefaultController<Uint8Array>
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      watcher = controller
      watchers.add(controller)
    },
    cancel: () => void watchers.delete(watcher),
  })
}
