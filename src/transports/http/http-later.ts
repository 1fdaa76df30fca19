import type { ServerResponse } from 'node:http'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { ExchangeOutcome, Outcome } from '../../gateway/journal.ts'
import type { MediaSource } from '../../media/source.ts'
import { ConnectionBreak, type Chunks } from '../../engine/reply.ts'
import { Tally, waitOnClock } from '../body-chunks.ts'
import { contentOf, isChunked, prepareResponse, type PreparedResponse } from '../prepare-response.ts'
import { breakBeforeAnswer, breakOff } from './http-write.ts'
import { disconnectSignal } from './http-request.ts'
import { Segments } from './http-segments.ts'
import {
  untilDrained,
  endResponse,
  whenFlushed,
  contentLengthOf,
  waitForPipelineTurn,
  writeBody,
  writeHead,
} from './http-write.ts'

/**
 * Carries out a reply that is delayed, paced, broken, or has media.
 * @throws any other error, after settling the exchange.
 */
export async function respondLater(
  x: Exchange,
  response: ServerResponse,
  media: MediaSource,
  formatDate: (now: number) => string,
): Promise<void> {
  const { reply, clock } = x
  const isHead = response.req.method === 'HEAD'
  const signal = disconnectSignal(response)
  try {
    const noResponse = reply.effect?.noResponse
    if (noResponse !== undefined) {
      if (reply.delayMs > 0) await waitOnClock(x, reply.delayMs, signal)
      // Only the response that owns the socket can break it. A pipelined response must wait for the earlier ones.
      await waitForPipelineTurn(response)
      x.messages?.lose(noResponse)
      x.settle(response.destroyed ? 'aborted' : 'failed', 0)
      return breakBeforeAnswer(response, noResponse, reply.status, x.headers)
    }
    const prepared = await prepareResponse(x, media, signal, isHead)
    if (response.destroyed) return x.settle('aborted', 0)
    writeHead(response, prepared.status, prepared.headers, formatDate(clock.now()), contentLengthOf(prepared))
    if (isChunked(prepared.body)) return await writeChunks(x, response, prepared.body, prepared)
    const firstByteAt = clock.now()
    const sent = await writeBody(response, isHead ? null : prepared.body, x.request.work)
    const outcome = !sent.whole ? 'aborted' : prepared.failed ? 'failed' : 'completed'
    x.settle(outcome, sent.bytes, {
      status: prepared.status,
      content: contentOf(prepared, isHead, sent.whole),
      ...(sent.bytes > 0 && { firstByteAt }),
      ...(prepared.isFaultSkipped && { approximated: true }),
    })
  } catch (error) {
    x.settle(response.destroyed ? 'aborted' : 'failed', 0)
    if (!(error instanceof ConnectionBreak)) throw error
    await waitForPipelineTurn(response)
    breakBeforeAnswer(response, 'close', reply.status, x.headers)
  }
}

/** How much is written in one turn of the event loop: this many chunks. Each counts as at least 1 kB. */
const maxChunksInTurn = 500
const chunkCostBytes = 1_000

/** Writes chunks when they are due. A break is journaled before the client can see it. */
async function writeChunks(
  x: Exchange,
  response: ServerResponse,
  chunks: Chunks,
  prepared: PreparedResponse,
): Promise<void> {
  const tally = new Tally(x.clock, prepared)
  const { work } = x.request
  const segments = new Segments(response, x)
  const settle = (end: Outcome, broken?: ConnectionBreak): void => {
    const outcome = tally.outcomeOf(end)
    const more: Partial<ExchangeOutcome> = {
      status: prepared.status,
      ...tally.settlement(end, broken),
      ...(!segments.isCertain && { approximated: true }),
    }
    x.settle(outcome, tally.bytes, more)
  }
  // Clients learn at once that their request was accepted, even if the first chunk comes late.
  response.flushHeaders()
  await waitForPipelineTurn(response)
  let cost = 0
  // A client that reads nothing would block the next write forever.
  prepared.cutOff?.addEventListener('abort', () => response.destroy(), { once: true })
  try {
    for await (const chunk of chunks) {
      const bytes = Buffer.byteLength(chunk.data)
      tally.note(chunk, bytes)
      if (bytes > 0 && !response.write(chunk.data)) await untilDrained(response, work)
      // Bytes in our buffers do not reach a client that leaves.
      if (chunk.isFinal && (await whenFlushed(response, work))) tally.finish()
      if (chunk.isAlone) await segments.end()
      else if (prepared.isStream && !prepared.cutOff && hasParticipants(x)) await segments.waitForReader()
      // A client that reads as fast as we write never blocks the loop, so other requests need a turn.
      cost = chunk.isAlone ? 0 : cost + 1 + bytes / chunkCostBytes
      if (cost < maxChunksInTurn) continue
      cost = 0
      await nextTurn()
    }
    settle((await endResponse(response)) ? 'completed' : 'aborted')
  } catch (error) {
    const broken = error instanceof ConnectionBreak ? error : undefined
    settle(response.destroyed ? 'aborted' : 'failed', broken)
    if (!broken) throw error
    await breakOff(response, broken.how, x)
  }
}

/** Whether time moves by itself, but only when all participants wait. */
function hasParticipants({ clock }: Exchange): boolean {
  return clock.mode === 'auto' && clock.auto.participants.areKnown
}
