import { createServer, STATUS_CODES, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { httpDoor } from '../doors/http.ts'
import type { Simulator } from '../simulator.ts'

/** How long a connection is kept on which nothing is asked. */
const keepAliveMs = 65_000

/** Where to listen. */
export interface ListenOptions {
  /** 0 takes a free one. */
  port: number
  /** Loopback by default. */
  host: string
  onWarning: (message: string) => void
}

/** A simulator that listens. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:4646`. */
  readonly url: string
  readonly port: number
  readonly simulator: Simulator
  /** Stops listening, cuts open connections, ends encoders. */
  readonly close: () => Promise<void>
}

/** The server could not start. The message says why and what to do. */
export class ServerError extends Error {
  override name = 'ServerError'
}

/**
 * Puts a simulator on a port.
 * @throws {ServerError} when the address can't be had.
 */
export async function listen(simulator: Simulator, options: ListenOptions): Promise<RunningServer> {
  let url = ''
  const door = httpDoor(simulator, {
    origin: () => url,
    scheme: 'http',
    keepAliveMs,
    onBug: options.onWarning,
  })
  // A missing Host and an odd Expect are answered by the door, in the gateway's envelope.
  const server = createServer(
    { joinDuplicateHeaders: true, requireHostHeader: false, keepAliveTimeout: keepAliveMs },
    door,
  )
  server.on('checkExpectation', door)
  server.on('clientError', refuseMalformed)
  await bind(server, options)
  const { port } = server.address() as AddressInfo
  url = `http://${nameOf(options.host)}:${port}`
  return {
    url,
    port,
    simulator,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await simulator.close()
      await closed
    },
  }
}

function bind(server: Server, { port, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ServerError(explain(error, host, port))),
    )
    server.listen(port, host, resolve)
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  const failed = `Failed to listen on ${host}:${port}`
  if (error.code === 'EADDRINUSE') {
    return `${failed}: the port is in use. Stop what listens there, or take another: --port ${port + 1}, or --port 0 for a free one.`
  }
  if (error.code === 'EACCES')
    return `${failed}: this port needs more rights. Take one above 1023, such as --port 4646.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return `${failed}: this machine has no such address. Use --host 127.0.0.1, or --host 0.0.0.0 for all.`
  }
  return `${failed}: ${error.message}.`
}

/** What isn't HTTP gets an answer too, in the gateway's envelope, and then the socket is closed. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const message = `Invalid request: ${STATUS_CODES[status]}`
  const body = JSON.stringify({ error: { code: '', message, type: 'new_api_error' } })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** An address that a client can use, where "all addresses" is meant. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
