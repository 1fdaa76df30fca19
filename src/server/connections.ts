import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import type { PortLimits } from './limits.ts'
import { refuse } from './refuse.ts'

/** How far a client was when it was last looked at, and since when it has taken and said nothing. */
interface Progress {
  /** Bytes that were written for it, and those of them that it has not taken. */
  written: number
  left: number
  takenMs: number
  /** Bytes that came from it. */
  said: number
  saidMs: number
}

/**
 * Lets a server have so many connections at a time, and cuts off clients that don't read what they asked for, and
 * answers that never end. None of it costs a request anything.
 *
 * @returns a function that ends the looking after, and every connection.
 */
export function watchConnections(server: Server, limits: PortLimits): () => void {
  const open = new Map<Socket, Progress>()
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
    open.set(socket, { written: 0, left: 0, takenMs: 0, said: -1, saidMs: 0 })
    socket.once('close', () => open.delete(socket))
    for (const serve of serving) serve.call(server, socket)
  })

  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const look = (): void => {
    const nowMs = hostTimers.elapsedMs()
    for (const [socket, progress] of open) {
      note(socket, progress, nowMs)
      // Who says nothing for so long waits for an answer: idle connections have been closed long before.
      const isOver =
        nowMs - progress.takenMs >= limits.stalledMs || nowMs - progress.saidMs >= limits.answerMs
      if (isOver) socket.destroy()
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

function note(socket: Socket, progress: Progress, nowMs: number): void {
  const { bytesWritten: written, writableLength: left, bytesRead: said } = socket
  if (left === 0 || written !== progress.written || left !== progress.left)
    Object.assign(progress, { written, left, takenMs: nowMs })
  if (said !== progress.said) Object.assign(progress, { said, saidMs: nowMs })
}
