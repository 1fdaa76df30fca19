import type { ServerResponse } from 'node:http'
import { isDated } from '../dates.ts'
import { isPortioned, type ReadyReply } from '../deliver.ts'

/** Larger bodies are handed to the socket in pieces, so that it is known how far a client got. */
export const pieceBytes = 4 * 1024 * 1024

/** @param bytes the length of the body, where no header tells it. */
export function writeHead(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  date: string,
  bytes?: number,
): void {
  response.sendDate = false
  const all = isDated(headers) ? [...headers] : [...headers, 'Date', date]
  if (bytes !== undefined) all.push('Content-Length', String(bytes))
  response.writeHead(status, all)
}

/** Media tell their length themselves, and an answer without content has none. */
export function lengthToTell({ status, headers, body, length }: ReadyReply): number | undefined {
  if (status === 204 || status === 304 || headers.includes('Content-Length')) return undefined
  if (isPortioned(body)) return length
  return body === null ? 0 : Buffer.byteLength(body)
}

/** Writes a body at the client's pace. A client that leaves ends it. */
export async function writeBody(
  response: ServerResponse,
  body: string | Uint8Array | null,
): Promise<{ whole: boolean; bytes: number }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  let at = 0
  while (at < bytes.length && !response.destroyed) {
    const piece = bytes.subarray(at, at + pieceBytes)
    at += piece.length
    if (!response.write(piece)) await drained(response)
  }
  return { whole: await ended(response), bytes: at }
}

/** @returns whether everything was handed over before the client left. */
export async function ended(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return false
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
  response.end()
  await Promise.race([closed, new Promise<void>((resolve) => response.once('finish', resolve))])
  return response.writableFinished
}

/**
 * Resolves when the answers before it on its connection are written, or its client has left. Where much waited behind
 * them as output, node:http would read no further, and never notice that the client leaves.
 */
export function waitForPipelineTurn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.socket || response.destroyed) return resolve()
    response.once('socket', () => resolve()).once('close', resolve)
  })
}

export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.once('drain', go).once('close', go)
  })
}

/** Resolves when what was written so far has left for the client, or never will. */
export function flushed({ socket }: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (!socket || socket.destroyed) return resolve()
    socket.write('', () => resolve())
  })
}
