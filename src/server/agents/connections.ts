import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { connectionFlags, type Agent, type SeenConnection } from '../../engine/clock/agents/agent.ts'

/** A connection that this server opened, such as for a report to the client. */
interface OpenedSocket {
  readonly socket: Socket
  /** How many bytes it had written when it last received some. */
  writtenAtRead: number
}

/** Connections that this process opened, by their own port. Watched as soon as a process takes part in a clock. */
const opened = new Map<number, OpenedSocket>()
let isWatching = false

function watchOpened(): void {
  if (isWatching) return
  isWatching = true
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    socket.once('connect', () => {
      const port = socket.localPort ?? 0
      const entry = { socket, writtenAtRead: 0 }
      opened.set(port, entry)
      const push = socket.push.bind(socket)
      socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
        entry.writtenAtRead = socket.bytesWritten
        return push(chunk, encoding)
      }
      socket.once('close', () => {
        if (opened.get(port) === entry) opened.delete(port)
      })
    })
  })
}

/** How many closed ends are remembered. */
const maxClosed = 10_000

/** The server's ends of its connections. Watched as soon as a process takes part in the clock. */
export class Connections {
  /** Accepted connections by the port of the client. Closed ones stay until the process has seen the end. */
  readonly #accepted = new Map<number, Socket>()
  /** Accepted connections that their processes have closed. */
  readonly #closing = new Set<number>()
  /** Ends that a process has closed, of connections between processes. The other end may be open for longer. */
  readonly #closed = new BoundedMap<SeenConnection>(maxClosed)
  readonly #port: () => number

  /** @param port the port of the server. */
  constructor(server: Server, port: () => number) {
    this.#port = port
    watchOpened()
    server.on('connection', (socket: Socket) => {
      this.#closing.delete(socket.remotePort ?? 0)
      this.#accepted.set(socket.remotePort ?? 0, socket)
    })
  }

  /** Notes which connections a process has closed. It lists each of them once. */
  note(connections: readonly SeenConnection[]): void {
    for (const end of connections) {
      const [local, remote, , , flags] = end
      const isClosed = (flags & connectionFlags.closed) !== 0
      if (isClosed && remote === this.#port() && this.#accepted.has(local)) this.#closing.add(local)
      if (!isClosed) this.#closed.delete(keyOf(local, remote))
      else if (!this.#closed.delete(keyOf(remote, local))) this.#closed.set(keyOf(local, remote), end)
    }
  }

  /** A connection in the list of its process; undefined if it isn't listed. */
  find(socket: Socket, { statement }: Agent): SeenConnection | undefined {
    return statement?.connections?.find(
      ([local, remote]) => local === socket.remotePort && remote === this.#port(),
    )
  }

  /** Forgets everything, when no process takes part any more. */
  clear(): void {
    this.#accepted.clear()
    this.#closing.clear()
    this.#closed.clear()
  }

  /**
   * What is in transit to or from processes, or what one of them waits for; undefined if nothing is. @param deliveries how
   * many reports are being sent.
   */
  obstacle(agents: Iterable<Agent>, deliveries: number): string | undefined {
    for (const port of this.#closing) {
      const socket = this.#accepted.get(port)
      if (socket && !socket.destroyed && !socket.readableEnded) return 'the end of a connection is on its way'
      this.#accepted.delete(port)
      this.#closing.delete(port)
    }
    const ends = new Map<string, SeenConnection>()
    const all = [...agents].flatMap(({ statement }) => statement?.connections ?? [])
    for (const end of all) ends.set(keyOf(end[0], end[1]), end)
    let waiting = 0
    for (const end of all) {
      const [local, remote, , , flags] = end
      const own = remote === this.#port() ? this.#accepted.get(local) : opened.get(remote)?.socket
      const other = ends.get(keyOf(remote, local)) ?? this.#closed.get(keyOf(remote, local))
      if (own) {
        if (!isAgreed(own, end)) return `bytes are on their way on the connection of port ${local}`
        const report = opened.get(remote)
        if (report && report.socket.bytesWritten > report.writtenAtRead) waiting++
      } else if (remote === this.#port()) {
        if (!(flags & connectionFlags.closed)) return `the connection of port ${local} is on its way`
      } else if (other) {
        if (!areAgreed(end, other)) return `bytes are on their way between the ports ${local} and ${remote}`
      } else if (flags & connectionFlags.expects)
        return (
          `a response of port ${remote}, which takes no part in the clock, such as a proxy or another service, has not arrived ` +
          '(connect straight to the simulator to wait in virtual time)'
        )
    }
    return deliveries > waiting ? 'a report is on its way to the client' : undefined
  }
}

function keyOf(local: number, remote: number): string {
  return `${local} ${remote}`
}

/** Whether both ends of a connection agree: no byte and no end of stream is in transit. */
function isAgreed(socket: Socket, [, , read, written, flags]: SeenConnection): boolean {
  const isOverHere = socket.destroyed || socket.writableEnded
  if (flags & connectionFlags.closed) return socket.destroyed || socket.readableEnded
  if (isOverHere) return (flags & (connectionFlags.ended | connectionFlags.paused)) !== 0
  // The process has written since its statement.
  if (socket.bytesRead !== written) return false
  return read >= socket.bytesWritten || (flags & connectionFlags.paused) !== 0
}

/** The same for a connection between two processes that take part. */
function areAgreed(one: SeenConnection, other: SeenConnection): boolean {
  const { closed, ended, paused } = connectionFlags
  const [, , read, written, flags] = one
  const [, , otherRead, otherWritten, otherFlags] = other
  // An end that leaves bytes unread on purpose does not see the end of the stream, either.
  const isOver = closed | ended | paused
  if ((flags | otherFlags) & closed) return (flags & isOver) !== 0 && (otherFlags & isOver) !== 0
  return (
    (read >= otherWritten || (flags & paused) !== 0) && (otherRead >= written || (otherFlags & paused) !== 0)
  )
}
