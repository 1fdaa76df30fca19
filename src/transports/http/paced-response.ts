import { ConnectionBreak, bytesOf, type BodyBreak, type Chunks } from '../../engine/reply.ts'
import type { Outcome } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ClientConnection } from '../client-request.ts'
import { createBodyError, terminated } from './connection-errors.ts'
import { type Tally } from '../chunks.ts'
import { copiedBy } from '../fetch/copied.ts'
import { keepProcessAlive } from '../fetch/keep-process-alive.ts'

/**
 * Portions as the body of a Response. They are asked for as fast as the client reads, and no faster.
 *
 * @param leaving aborted when the request is; a client that lets go of the body aborts it too.
 * @param settle told once how it ended, and after how many bytes.
 * @param connection closed where the body breaks off, if the client is built on `http.request`.
 */
export function pacedResponse(
  portions: Chunks,
  leaving: AbortController,
  tally: Tally,
  settle: Exchange['settle'],
  init: ResponseInit,
  connection?: ClientConnection,
): Response {
  const watchers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let over = false
  const end = (outcome: Outcome, failure?: unknown): void => {
    if (over) return
    over = true
    const broken = failure instanceof ConnectionBreak ? failure : undefined
    settle(outcome, tally.bytes, {
      ...tally.settlement(outcome, broken),
      ...(broken && { approximated: true }),
    })
  }
  const part = (failure?: unknown): void => {
    for (const watcher of watchers) {
      if (failure === undefined) watcher.close()
      else watcher.error(failure)
    }
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const leave = (): void => {
          if (over) return
          const { reason } = leaving.signal
          controller.error(reason)
          end('aborted', reason)
          part(reason)
        }
        leaving.signal.addEventListener('abort', leave, { once: true })
      },
      async pull(controller) {
        try {
          // A stream that is asked for bytes must be given some.
          for (let given = 0; given === 0;) {
            const next = await keepProcessAlive(portions.next())
            if (over) return
            if (next.done) {
              end('completed')
              part()
              return controller.close()
            }
            const chunk = bytesOf(next.value.data)
            tally.note(next.value, chunk.length)
            given = chunk.length
            if (given === 0) continue
            controller.enqueue(chunk)
            for (const watcher of watchers) watcher.enqueue(chunk)
          }
        } catch (error) {
          if (over) return
          // What a broken connection looks like to whoever fetches.
          const failure = error instanceof ConnectionBreak ? terminated(error.how) : error
          end('failed', error)
          part(failure)
          if (error instanceof ConnectionBreak && connection) await breakOff(connection, error.how)
          controller.error(failure)
        }
      },
      cancel(reason) {
        end('aborted', reason)
        part(reason)
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

/** Closes the connection after the client has read what was sent: what is buffered would be lost. */
async function breakOff(connection: ClientConnection, how: BodyBreak): Promise<void> {
  await new Promise<void>((resolve) => hostTimers.setImmediate(resolve))
  connection.close(createBodyError(how))
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
