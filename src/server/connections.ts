import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { nodeHttp } from '../transports/http/node-http.ts'
import type { PortLimits } from './limits.ts'

/** The bytes that a connection had transferred at the last check, and when the numbers last changed. */
interface Progress {
  /** Bytes that the server has written, and how many of them the client has not read. */
  written: number
  unread: number
  readAtMs: number
  /** Bytes received from the client. */
  received: number
  receivedAtMs: number
}

/**
 * Limits the number of connections. Closes a connection whose client doesn't read, or whose response never ends. Costs
 * nothing per request.
 *
 * @returns a function that stops the checks and closes every connection.
 */
export function watchConnections(server: Server, limits: PortLimits): () => void {
  const open = new Map<Socket, Progress>()
  const refusedSockets = new Set<Socket>()
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  // The server must not receive connections that are refused.
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (open.size >= limits.connections) {
      refusedSockets.add(socket)
      socket.once('close', () => refusedSockets.delete(socket))
      return refuse(socket, 503, `${limits.connections} connections are open already`)
    }
    open.set(socket, { written: 0, unread: 0, readAtMs: 0, received: -1, receivedAtMs: 0 })
    socket.once('close', () => open.delete(socket))
    for (const listener of listeners) listener.call(server, socket)
  })

  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const check = (): void => {
    const nowMs = hostTimers.elapsedMs()
    for (const [socket, progress] of open) {
      updateProgress(socket, progress, nowMs)
      // A client that is silent for answerMs waits for a response, since idle connections are closed long before.
      const isOver =
        nowMs - progress.readAtMs >= limits.stalledMs || nowMs - progress.receivedAtMs >= limits.answerMs
      if (isOver) socket.destroy()
    }
    timer = hostTimers.setTimeout(check, limits.everyMs)
    timer.unref()
  }
  check()
  return () => {
    hostTimers.clearTimeout(timer)
    for (const socket of [...open.keys(), ...refusedSockets]) socket.destroy()
  }
}

function updateProgress(socket: Socket, progress: Progress, nowMs: number): void {
  const { bytesWritten: written, writableLength: unread, bytesRead: received } = socket
  if (unread === 0 || written !== progress.written || unread !== progress.unread)
    Object.assign(progress, { written, unread, readAtMs: nowMs })
  if (received !== progress.received) Object.assign(progress, { received, receivedAtMs: nowMs })
}

/** How long a client may take to read a refusal and disconnect. */
const refusalMs = 1_000

/** A connection with its latest request, and with the response that Node is writing or will write next. */
type BusySocket = Socket & {
  _httpMessage?: ServerResponse | null
  parser?: { incoming: IncomingMessage | null } | null
}

/** Sockets that are being refused, now or after their present response. Further errors on them are ignored. */
const refused = new WeakSet<Socket>()

/**
 * Responds to bytes that are not HTTP, in the gateway's envelope, and ends the connection. The refusal follows the
 * responses to earlier requests.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: BusySocket): void {
  const { code } = error
  if (refused.has(socket)) return
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const present = socket._httpMessage
  if (present?.req.complete) {
    refused.add(socket)
    present.once('close', () => {
      refused.delete(socket)
      refuseMalformed(error, socket)
    })
    endReading(socket.parser?.incoming, error)
    return void socket.resume()
  }
  if (present?.headersSent) return void socket.destroy()
  const status = statusFor(code)
  refuse(socket, status, `Invalid request: ${nodeHttp.STATUS_CODES[status]}`)
}

/** Ends the wait for a body that won't come. It would stop a clock in mode `auto`, and so the response before it. */
function endReading(request: IncomingMessage | null | undefined, error: Error): void {
  // The request isn't destroyed, since that would destroy the socket. Without this listener, the event would be an uncaught
  // error.
  if (request?.complete === false) request.once('error', () => {}).emit('error', error)
}

/** Responds on a bare connection, and closes it even if the client doesn't. */
function refuse(socket: Socket, status: number, message: string): void {
  const body = JSON.stringify({ error: { code: '', message, type: 'new_api_error' } })
  refused.add(socket)
  socket.on('error', () => socket.destroy())
  // Unread input would turn FIN into RST, which can discard the response.
  socket.resume()
  socket.end(
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  const timer = hostTimers.setTimeout(() => socket.destroy(), refusalMs)
  socket.once('close', () => hostTimers.clearTimeout(timer))
}

function statusFor(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
