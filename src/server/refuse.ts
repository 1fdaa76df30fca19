import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'

/** How long a client has to read a refusal and to hang up. */
const goodbyeMs = 1_000

/** A connection with the answer that Node is about to write, or is writing, on it. */
type Talking = Socket & { _httpMessage?: ServerResponse | null }

/** Those that are being refused, or will be when it is their turn. What else they send is nonsense too. */
const refused = new WeakSet<Socket>()

/**
 * What isn't HTTP gets an answer too, in the gateway's envelope, and then the connection ends. It comes behind the
 * answers to what was asked before; the middle of one is no place for it.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Talking): void {
  const { code } = error
  if (refused.has(socket)) return
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const answer = socket._httpMessage
  if (answer?.req.complete) {
    refused.add(socket)
    answer.once('close', () => {
      refused.delete(socket)
      refuseMalformed(error, socket)
    })
    return void socket.resume()
  }
  if (answer?.headersSent) return void socket.destroy()
  const status = statusOf(code)
  refuse(socket, status, `Invalid request: ${STATUS_CODES[status]}`)
}

/** Answers on a bare connection, and ends it even where the client doesn't. */
export function refuse(socket: Socket, status: number, message: string): void {
  const body = JSON.stringify({ error: { code: '', message, type: 'new_api_error' } })
  refused.add(socket)
  socket.on('error', () => socket.destroy())
  // What it still sends is not looked at; left lying, it would make the end a reset that takes the answer along.
  socket.resume()
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  const timer = hostTimers.setTimeout(() => socket.destroy(), goodbyeMs)
  socket.once('close', () => hostTimers.clearTimeout(timer))
}

function statusOf(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
