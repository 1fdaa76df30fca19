import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../engine/clock/clock.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ConnectionEnd } from '../../engine/connection-end.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { RequestWork } from '../../gateway/request.ts'
import { hasHeader } from '../../gateway/replies/headers.ts'
import { hasContent } from '../../gateway/replies/reply.ts'
import { isChunked, type PreparedResponse } from '../prepare-response.ts'
import { nodeHttp } from './node-http.ts'

/** Larger bodies are written in pieces, so that the journal can record how much was sent. */
const pieceBytes = 4 * 1024 * 1024

/** @param bytes the length of the body, unless a header contains it. */
export function writeHead(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  date: string,
  bytes?: number,
): void {
  response.sendDate = false
  const all = hasHeader(headers, 'Date') ? [...headers] : [...headers, 'Date', date]
  if (bytes !== undefined) all.push('Content-Length', String(bytes))
  response.writeHead(status, all)
}

/** The `Content-Length` to send; undefined if the headers contain it or the response has no content. */
export function contentLengthOf({ status, headers, body, length }: PreparedResponse): number | undefined {
  if (!hasContent(status) || hasHeader(headers, 'Content-Length')) return undefined
  if (isChunked(body)) return length
  return body === null ? 0 : Buffer.byteLength(body)
}

/** Writes a body as fast as the client reads it, until the client leaves. */
export async function writeBody(
  response: ServerResponse,
  body: string | Uint8Array | null,
  work?: RequestWork,
): Promise<{ whole: boolean; bytes: number }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  let at = 0
  while (at < bytes.length && !response.destroyed) {
    const piece = bytes.subarray(at, at + pieceBytes)
    at += piece.length
    if (!response.write(piece)) await untilDrained(response, work)
  }
  return { whole: await endResponse(response), bytes: at }
}

/** Ends a response. @returns whether all bytes were sent before the client left. */
export async function endResponse(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return false
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
  response.end()
  await Promise.race([closed, new Promise<void>((resolve) => response.once('finish', resolve))])
  return response.writableFinished
}

/**
 * Resolves when the earlier responses on the connection are written, or the client has left. Writing earlier would buffer
 * without limit. Also, node:http would stop reading and never notice that the client leaves.
 */
export function waitForPipelineTurn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.socket || response.destroyed) return resolve()
    response.once('socket', () => resolve()).once('close', resolve)
  })
}

export function untilDrained(response: ServerResponse, work?: RequestWork): Promise<void> {
  const resume = work?.pause()
  return new Promise((resolve) => {
    const go = (): void => {
      resume?.()
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.once('drain', go).once('close', go)
  })
}

/** Resolves when everything written so far is flushed, or can never be. @returns whether it was flushed. */
export function whenFlushed({ socket }: ServerResponse, work?: RequestWork): Promise<boolean> {
  const resume = work?.pause()
  return new Promise<boolean>((resolve) => {
    if (!socket || socket.destroyed) return resolve(false)
    socket.write('', (error) => resolve(!error))
  }).finally(resume)
}

/** A client that reads data and reset together sees a plain end. So it gets some real time to read the data first. */
const readingMs = 25

/** Breaks a connection before any header of the response is sent. */
export function breakBeforeAnswer(
  response: ServerResponse,
  { isReset, lastBytes }: ConnectionEnd,
  status: number,
  headers: readonly string[],
): void {
  const { socket } = response
  if (!socket || socket.destroyed) return
  if (lastBytes) socket.write(lastBytes(headOf(status, headers)), 'latin1')
  if (isReset) return sendRst(socket)
  sendFin(socket)
}

/** Breaks a connection in the middle of a body. Bytes written before that arrive. */
export async function breakOff(
  response: ServerResponse,
  { isReset, lastBytes }: ConnectionEnd,
  { clock, request: { work } }: Exchange,
): Promise<void> {
  const { socket } = response
  if (!socket || socket.destroyed) return
  if (lastBytes) socket.write(lastBytes(''), 'latin1')
  if (!isReset) return sendFin(socket)
  if (!(await work?.takeTurn(clock))) await waitForReader(response, clock)
  if (!socket.destroyed) sendRst(socket)
}

async function waitForReader(response: ServerResponse, clock: Clock): Promise<void> {
  const release = clock.auto.whileReading()
  try {
    await whenFlushed(response)
    await new Promise<void>((resolve) => hostTimers.setTimeout(resolve, readingMs))
    await nextTurn()
  } finally {
    release()
  }
}

/** Sends FIN after the written bytes. */
function sendFin(socket: Socket): void {
  socket.end(() => socket.destroy())
}

/** Sends RST. A TLS socket can't, so it ends without close_notify; clients treat both the same. */
function sendRst(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** The beginning of a response, up to the middle of its headers. */
function headOf(status: number, headers: readonly string[]): string {
  // A request that was lost before the gateway's response has no status.
  const code = status === 0 ? 200 : status
  const lines = [`HTTP/1.1 ${code} ${nodeHttp.STATUS_CODES[code] ?? ''}`]
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return lines.join('\r\n')
}
