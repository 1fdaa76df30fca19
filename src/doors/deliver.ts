import type { Exchange } from '../gateway/parts.ts'
import { represent } from '../gateway/represent.ts'
import { headerList, hintHeader, type MediaBody, type Reply } from '../gateway/reply.ts'
import { mediaOf, type MediaSource } from '../media/source.ts'
import { inTime } from './in-time.ts'

/** An answer whose bytes are there: all that is left is to write it. */
export interface ReadyReply {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | null | AsyncGenerator<string, void>
  /** Whether the bytes could not be made. */
  readonly failed: boolean
}

/** Whether an answer can be written in the same turn. */
export function isReady(reply: Reply): boolean {
  return reply.delayMs === 0 && (reply.body === null || typeof reply.body === 'string')
}

/** Whether a body comes in pieces. */
export function isPaced(body: ReadyReply['body']): body is AsyncGenerator<string, void> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/**
 * Waits as long as the reply says, and makes its bytes. Rejects as soon as the client leaves; bytes that are being
 * made are finished all the same, for whoever asks next.
 */
export async function ready(
  exchange: Exchange,
  media: MediaSource,
  signal: AbortSignal,
): Promise<ReadyReply> {
  const { reply, headers, clock } = exchange
  if (reply.delayMs > 0) await clock.wait(reply.delayMs, signal, exchange.waiting)
  const { status, body } = reply
  if (body === null || typeof body === 'string') return { status, headers, body, failed: false }
  if ('pieces' in body) return { status, headers, body: inTime(body, exchange, signal), failed: false }
  return untilAborted(readyMedia(body, headers, media), signal)
}

async function readyMedia(
  body: MediaBody,
  headers: readonly string[],
  media: MediaSource,
): Promise<ReadyReply> {
  try {
    const shown = represent(await mediaOf(media, body.media), body.conditions)
    return {
      status: shown.status,
      headers: [...headers, ...headerList(shown.headers)],
      body: shown.body,
      failed: false,
    }
  } catch (error) {
    const { status, body: text } = body.failed
    // The gateway's words say little; a developer wants to know what failed, and how.
    const said = {
      'Content-Type': 'application/json; charset=utf-8',
      ...hintHeader((error as Error).message),
    }
    return { status, headers: [...headers, ...headerList(said)], body: text, failed: true }
  }
}

/** The work's result, or a rejection with the signal's reason as soon as it is aborted. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
