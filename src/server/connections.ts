import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { hostTimers } from '../engine/host-timers.ts'
import type { PortLimits } from './limits.ts'
import { refuse } from './refuse.ts'

/** How far a client was when it was last looked at, and since when it has taken nothing. */
interface Reading {
  /** Bytes that were written for it, and those of them that it has not taken. */
  written: number
  left: number
  sinceMs: number
}

/**
 * Lets a server have so many connections at a time, and cuts off clients that don't read what they asked for. Neither
 * costs a request anything.
 *
 * @returns a function that ends the looking after, and every connection.
 */
export function watchConnections(server: Server, limits: PortLimits): () => void {
  const open = new Map<Socket, Reading>()
  const refused = new Set<Socket>()
  const serving = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  // Whatever the server does with a connection, it must not begin with one that is refused.
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (open.size >= limits.connections) {
      refused.add(socket)
      socket.once('close', () => refused.delete(socket))
      return refuse(socket, 503, `${limits.connections} connections are open already`)
    }
    open.set(socket, { written: 0, left: 0, sinceMs: 0 })
    socket.once('close', () => open.delete(socket))
    for (const serve of serving) serve.call(server, socket)
  })

  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const look = (): void => {
    const nowMs = hostTimers.elapsedMs()
    for (const [socket, reading] of open) {
      if (isStalled(socket, reading, nowMs, limits.stalledMs)) socket.destroy()
    }
    timer = hostTimers.setTimeout(look, limits.everyMs)
    timer.unref()
  }
  look()
  return () => {
    hostTimers.clearTimeout(timer)
    for (const socket of [...open.keys(), ...refused]) socket.destroy()
  }
}

/** Whether nothing of what lies ready has been taken for so long, and nothing was added. */
function isStalled(socket: Socket, reading: Reading, nowMs: number, stalledMs: number): boolean {
  const { bytesWritten: written, writableLength: left } = socket
  if (left === 0 || written !== reading.written || left !== reading.left) {
    Object.assign(reading, { written, left, sinceMs: nowMs })
    return false
  }
  return nowMs - reading.sinceMs >= stalledMs
}
