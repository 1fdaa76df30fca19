import type { Outcome } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ClientConnection } from './connection.ts'
import { createBodyError, terminated } from './connection.ts'
import { bytesOf, ConnectionBreak, type Chunks } from '../../engine/reply.ts'
import type { Tally } from '../body-chunks.ts'

/**
 * A response whose body is produced only as fast as the client reads it.
 *
 * @param leaving aborted when the request is; a client that cancels the body aborts it, too.
 * @param settle called once, with how the body ended and after how many bytes.
 * @param connection closed when the body breaks off, if the client is built on `http.request`.
 */
export function createPacedResponse(
  chunks: Chunks,
  leaving: AbortController,
  tally: Tally,
  settle: Exchange['settle'],
  init: ResponseInit,
  connection?: ClientConnection,
): Response {
  const copies = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let isOver = false
  const finish = (end: Outcome, failure?: unknown): void => {
    if (isOver) return
    isOver = true
    const broken = failure instanceof ConnectionBreak ? failure : undefined
    settle(tally.outcomeOf(end), tally.bytes, {
      ...tally.settlement(end, broken),
      ...(broken && { approximated: true }),
    })
  }
  const endCopies = (failure?: unknown): void => {
    for (const copy of copies) {
      if (failure === undefined) copy.close()
      else copy.error(failure)
    }
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const leave = (): void => {
          if (isOver) return
          const { reason } = leaving.signal
          controller.error(reason)
          finish('aborted', reason)
          endCopies(reason)
        }
        leaving.signal.addEventListener('abort', leave, { once: true })
      },
      async pull(controller) {
        try {
          // A pull must enqueue something, and some chunks are empty.
          for (;;) {
            const next = await keepProcessAlive(chunks.next())
            if (isOver) return
            if (next.done) {
              finish('completed')
              endCopies()
              return controller.close()
            }
            const bytes = bytesOf(next.value.data)
            tally.note(next.value, bytes.length)
            if (bytes.length === 0) continue
            controller.enqueue(bytes)
            for (const copy of copies) copy.enqueue(bytes)
            if (next.value.isFinal) tally.finish()
            return
          }
        } catch (error) {
          if (isOver) return
          // The error that a client of a real connection would get.
          const failure = error instanceof ConnectionBreak ? terminated(error.how) : error
          finish('failed', error)
          endCopies(failure)
          if (error instanceof ConnectionBreak && connection) {
            // The client reads first: closing the connection discards what is buffered.
            await nextTurn()
            connection.close(createBodyError(error.how))
          }
          controller.error(failure)
        }
      },
      cancel(reason) {
        finish('aborted', reason)
        endCopies(reason)
        leaving.abort(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(
    withTee(stream, () => createCopy(copies)),
    init,
  )
}

/**
 * Makes `tee()` hand out the stream itself and an independent copy. MSW clones every response, and a native branch is
 * cancelled only when both are, so a client that cancels its own would go unnoticed.
 */
export function withTee(
  stream: ReadableStream<Uint8Array>,
  copy: () => ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  stream.tee = () => [stream, copy()] as ReturnType<typeof stream.tee>
  return stream
}

/** Receives what the client reads, without back-pressure of its own. */
function createCopy(copies: Set<ReadableStreamDefaultController<Uint8Array>>): ReadableStream<Uint8Array> {
  let copy: ReadableStreamDefaultController<Uint8Array>
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      copy = controller
      copies.add(controller)
    },
    cancel: () => void copies.delete(copy),
  })
}

/** How long undici waits for headers, or for the next bytes of a body. */
const maxWaitMs = 300_000

/**
 * Keeps the process running while a client in it waits, as a socket would: the timer of `AbortSignal.timeout` doesn't.
 */
export async function keepProcessAlive<T>(work: Promise<T>): Promise<T> {
  const timer = hostTimers.setTimeout(() => {}, maxWaitMs)
  try {
    return await work
  } finally {
    hostTimers.clearTimeout(timer)
  }
}
