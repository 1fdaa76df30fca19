import type { Outcome } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ClientConnection } from './connection.ts'
import { createRequestError, createFetchBodyError } from './connection.ts'
import { bytesOf, ConnectionBreak, type Chunks } from '../../engine/reply.ts'
import type { Tally } from '../body-chunks.ts'

/**
 * Creates a response whose body is produced only as fast as the client reads it.
 *
 * @param leaving aborted when the request is aborted or the client cancels the body.
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
  const branches = new Set<ReadableStreamDefaultController<Uint8Array>>()
  /** The chunks sent so far, with which a copy of an unread branch begins. */
  const sent: Uint8Array[] = []
  let end: { readonly failure?: unknown } | undefined
  let isOriginalRead = false
  let pulling: Promise<void> | undefined

  const finish = (how: Outcome, failure?: unknown): void => {
    if (end) return
    end = failure === undefined ? {} : { failure }
    const broken = failure instanceof ConnectionBreak ? failure : undefined
    settle(tally.outcomeOf(how), tally.bytes, {
      ...tally.settlement(how, broken),
      ...(broken && { approximated: true }),
    })
  }
  const endBranches = (failure?: unknown): void => {
    for (const branch of branches) endBranch(branch, failure)
    branches.clear()
  }
  const leave = (reason: unknown): void => {
    if (end) return
    finish('aborted', reason)
    endBranches(reason)
  }
  leaving.signal.addEventListener('abort', () => leave(leaving.signal.reason), { once: true })

  /** Waits for the next bytes, and enqueues them in all branches. */
  const pull = async (): Promise<void> => {
    try {
      // A pull must enqueue something, but chunks may be empty.
      for (;;) {
        const next = await keepProcessAlive(chunks.next())
        if (end) return
        if (next.done) {
          finish('completed')
          return endBranches()
        }
        const bytes = bytesOf(next.value.data)
        tally.note(next.value, bytes.length)
        if (bytes.length === 0) continue
        if (!isOriginalRead || branches.size > 1) sent.push(bytes)
        else sent.length = 0
        for (const branch of branches) branch.enqueue(bytes)
        if (next.value.isFinal) tally.finish()
        return
      }
    } catch (error) {
      if (end) return
      // The error that a client of a real connection would get.
      const failure = error instanceof ConnectionBreak ? createFetchBodyError(error.how) : error
      finish('failed', error)
      end = { failure }
      if (error instanceof ConnectionBreak && connection) {
        // The client must read first: closing the connection discards buffered bytes.
        await nextTurn()
        connection.close(createRequestError(error.how))
      }
      endBranches(failure)
    }
  }

  /**
   * MSW clones every response. Its client reads the original, or with MSW 2.13 the clone. A native branch is cancelled only
   * when both branches are, so the client's departure would go unnoticed. MSW's listeners read clones too, so a copy acts
   * for the client only while the original is unread.
   */
  const openBranch = (isCopy: boolean): ReadableStream<Uint8Array> => {
    let branch: ReadableStreamDefaultController<Uint8Array>
    let isRead = false
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          branch = controller
          for (const bytes of sent) branch.enqueue(bytes)
          if (end) endBranch(branch, end.failure)
          else branches.add(branch)
        },
        pull() {
          isRead = true
          if (!isCopy) isOriginalRead = true
          // Once the original is read, its client sets the pace.
          else if (isOriginalRead) return
          return (pulling ??= pull().finally(() => (pulling = undefined)))
        },
        cancel(reason) {
          branches.delete(branch)
          if (isCopy && (isOriginalRead || !isRead)) return
          leave(reason)
          leaving.abort(reason)
        },
      },
      { highWaterMark: 0 },
    )
    return withTee(stream, () => openBranch(true))
  }
  /**
   * undici cancels the body of its own clone when the clone is collected, even if that body is in use. So `clone()` is
   * replaced.
   */
  const create = (isCopy: boolean): Response => {
    const response = new Response(openBranch(isCopy), init)
    const isUsed = (): boolean => response.bodyUsed || response.body!.locked
    const clone = (): Response => (isUsed() ? Response.prototype.clone.call(response) : create(true))
    return Object.defineProperty(response, 'clone', { value: clone })
  }
  return create(false)
}

function endBranch(branch: ReadableStreamDefaultController<Uint8Array>, failure: unknown): void {
  if (failure === undefined) branch.close()
  else branch.error(failure)
}

/** Makes `tee()` return the stream itself and an independent copy. */
export function withTee(
  stream: ReadableStream<Uint8Array>,
  copy: () => ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  stream.tee = () => [stream, copy()] as ReturnType<typeof stream.tee>
  return stream
}

/** undici's timeout for headers, and for the next bytes of a body. */
const maxWaitMs = 300_000

/** Keeps the process running while a client waits, as a socket would: the timer of `AbortSignal.timeout` doesn't. */
export async function keepProcessAlive<T>(work: Promise<T>): Promise<T> {
  const timer = hostTimers.setTimeout(() => {}, maxWaitMs)
  try {
    return await work
  } finally {
    hostTimers.clearTimeout(timer)
  }
}
