import type { Socket } from 'node:net'
import type { VirtualTimeout } from './timeout.ts'
import type { VirtualTimers } from './timers.ts'

/**
 * Makes the idle timeout of a connection to the simulator virtual. `axios` and `node:http` use it to limit the wait for a
 * response. Other connections keep Node's own.
 */
export function replaceSocketTimeout(socket: Socket, link: Socket, virtual: VirtualTimers): void {
  const native = socket.setTimeout.bind(socket)
  let timer: VirtualTimeout | undefined
  let delayMs = 0
  let bytes = 0
  const start = (): void => {
    timer?.close()
    timer = undefined
    if (delayMs <= 0 || socket.destroyed) return
    bytes = socket.bytesRead + socket.bytesWritten
    timer = virtual.create(pass, delayMs, { repeats: false, isReferenced: false })
  }
  // Arriving bytes don't move time, so the wait restarts at the instant of the latest bytes, at most one wait late.
  const pass = (): void => {
    timer = undefined
    if (bytes !== socket.bytesRead + socket.bytesWritten) return start()
    socket.emit('timeout')
  }
  const isOurs = (): boolean =>
    socket.remotePort === link.remotePort && socket.remoteAddress === link.remoteAddress
  socket.setTimeout = (timeoutMs, callback) => {
    if (!socket.connecting && !isOurs()) return native(timeoutMs, callback)
    delayMs = timeoutMs
    if (callback) {
      if (timeoutMs === 0) socket.off('timeout', callback)
      else socket.once('timeout', callback)
    }
    if (!socket.connecting) start()
    return socket
  }
  socket.once('connect', () => {
    if (isOurs()) return start()
    socket.setTimeout = native
    if (delayMs > 0) native(delayMs)
  })
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (timer) start()
    return push(chunk, encoding)
  }
  socket.once('close', () => {
    delayMs = 0
    timer?.close()
  })
}
