import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { findCaller, callerOf } from './places.ts'
import { connectionFlags, type SeenConnection } from '../../engine/clock/agents/agent.ts'

/** A connection of this process. */
interface Seen {
  readonly socket: Socket
  local: number
  remote: number
  isEnded: boolean
  isClosed: boolean
  /** How many bytes it had written when it last received some. */
  writtenAtRead: number
  /** How many requests have no complete response. */
  openRequests: number
  /** Sorts the connection: the time of its request, otherwise of the connection itself. */
  order: number
  /** The line of the program that sent the latest request. */
  place: string | undefined
}

/** A request of a library, which a connection carries. */
interface OpenRequest {
  readonly carry: (socket: Socket) => void
  readonly end: () => void
}

/** The TCP connections of this process, counted byte by byte. */
export class ProcessConnections {
  readonly #seen = new Map<Socket, Seen>()
  readonly #onEvent: () => void
  /** The host of the simulator. Connections to other hosts may have the same ports. */
  readonly #host: string | undefined
  #count = 0

  /** @param link the connection to the clock, which is excluded. @param onEvent called for each event of a connection. */
  constructor(link: Socket, onEvent: () => void) {
    this.#onEvent = onEvent
    this.#host = link.remoteAddress
    const watch = (message: unknown): void => this.#watch((message as { socket: Socket }).socket)
    subscribe('net.client.socket', watch)
    subscribe('net.server.socket', watch)
    this.#watchFetch()
    this.#watchHttp()
    // The parser of a server reads and writes its sockets without an event of theirs.
    for (const name of ['http.server.request.start', 'http.server.response.finish']) subscribe(name, onEvent)
  }

  #watch(socket: Socket): void {
    const seen: Seen = {
      socket,
      local: 0,
      remote: 0,
      isEnded: false,
      isClosed: false,
      writtenAtRead: 0,
      openRequests: 0,
      order: ++this.#count,
      place: undefined,
    }
    const begin = (): void => {
      seen.local = socket.localPort ?? 0
      seen.remote = isSameHost(socket.remoteAddress, this.#host) ? (socket.remotePort ?? 0) : 0
      this.#seen.set(socket, seen)
      this.#onEvent()
    }
    if (socket.connecting || socket.pending) socket.once('connect', begin)
    else begin()
    const push = socket.push.bind(socket)
    socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk === null) seen.isEnded = true
      seen.writtenAtRead = socket.bytesWritten
      this.#onEvent()
      return push(chunk, encoding)
    }
    socket.once('close', () => {
      seen.isClosed = true
      this.#onEvent()
    })
  }

  /** Begins a request of a library, and finds the connection that carries it. */
  #begin(place = findCaller()): OpenRequest {
    const order = ++this.#count
    let seen: Seen | undefined
    return {
      carry: (socket) => {
        seen = this.#seen.get(socket)
        if (!seen) return
        seen.order = order
        seen.place = place
        seen.openRequests++
      },
      end: () => {
        if (seen) seen.openRequests--
        seen = undefined
        this.#onEvent()
      },
    }
  }

  /** Watches the requests of `fetch` and of undici. */
  #watchFetch(): void {
    const open = new WeakMap<object, OpenRequest>()
    const read = (message: unknown): object => (message as { request: object }).request
    subscribe('undici:request:create', (message) => void open.set(read(message), this.#begin()))
    subscribe('undici:client:sendHeaders', (message) =>
      open.get(read(message))?.carry((message as { socket: Socket }).socket),
    )
    for (const name of ['undici:request:trailers', 'undici:request:error'])
      subscribe(name, (message) => open.get(read(message))?.end())
  }

  /** Watches the requests of `node:http` and `node:https`, which most other libraries use. */
  #watchHttp(): void {
    subscribe('http.client.request.start', (message) => {
      const { request } = message as { request: ClientRequest }
      const { carry, end } = this.#begin(callerOf(request))
      const found = (socket: Socket): void => {
        if (socket.connecting) socket.once('connect', () => carry(socket))
        else carry(socket)
      }
      if (request.socket) found(request.socket)
      else request.once('socket', found)
      request.once('close', end)
    })
  }

  /** How many bytes were transferred in total. */
  get bytes(): number {
    let bytes = 0
    for (const socket of this.#seen.keys()) bytes += socket.bytesRead + socket.bytesWritten
    return bytes
  }

  /** The connections for a statement. Closed connections are listed once. */
  list(): SeenConnection[] {
    const { ended, closed, paused, expects } = connectionFlags
    return [...this.#seen.values()].map((seen) => {
      const { socket, local, remote, isEnded, isClosed, writtenAtRead, openRequests, order, place } = seen
      if (isClosed) this.#seen.delete(socket)
      const { _handle: handle } = socket as unknown as { _handle?: { reading?: boolean } | null }
      const isWaiting = openRequests > 0 || socket.bytesWritten > writtenAtRead
      const flags =
        (isEnded || isClosed ? ended : 0) |
        (isClosed ? closed : 0) |
        (handle?.reading === false ? paused : 0) |
        (isWaiting && !isClosed ? expects : 0)
      const counts = [local, remote, socket.bytesRead, socket.bytesWritten, flags, order] as const
      return place === undefined ? counts : [...counts, place]
    })
  }
}

/**
 * Whether two addresses belong to one host. An IPv6 socket has another notation for IPv4 addresses, and a host has several
 * loopback addresses.
 */
function isSameHost(one = '', other = ''): boolean {
  const plain = (address: string): string => address.replace(/^::ffff:/i, '')
  const isLocal = (address: string): boolean => address === '::1' || plain(address).startsWith('127.')
  return plain(one) === plain(other) || (isLocal(one) && isLocal(other))
}
