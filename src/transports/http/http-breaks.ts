import { type NoResponse, type BodyBreak } from '../../engine/reply.ts'
import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../engine/clock/clock.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { flushed } from './http-write.ts'

/** A fatal alert of TLS, as a port says that expects something else than HTTP. */
const garbage = Uint8Array.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])

/** No size of a chunk is written so. */
const malformedChunk = 'zz\r\nnot a chunk\r\n'

/**
 * A reset that comes together with data looks like a plain end to clients that read both at once. So the data gets a
 * moment to be read: of the host's time, since it isn't part of what is simulated.
 */
const readingMs = 25

/** Breaks a connection on which no header of an answer is out yet. */
export function breakBeforeAnswer(
  response: ServerResponse,
  silence: NoResponse,
  status: number,
  headers: readonly string[],
): void {
  const { socket } = response
  if (!socket || socket.destroyed) return
  if (silence === 'reset') return reset(socket)
  if (silence === 'half-headers') socket.write(halfHead(status, headers), 'latin1')
  if (silence === 'garbage') socket.write(garbage)
  close(socket)
}

/** Breaks a connection on which a part of a body is out. What was written arrives. */
export async function breakOff(response: ServerResponse, how: BodyBreak, clock: Clock): Promise<void> {
  const { socket } = response
  if (!socket || socket.destroyed) return
  if (how === 'malformed-chunk') socket.write(malformedChunk, 'latin1')
  if (how !== 'reset') return close(socket)
  const release = clock.auto.whileReading()
  try {
    await flushed(response)
    await new Promise<void>((resolve) => {
      hostTimers.setTimeout(() => hostTimers.setImmediate(resolve), readingMs)
    })
  } finally {
    release()
  }
  if (!socket.destroyed) reset(socket)
}

/** Sends FIN behind what was written, and then lets go. */
function close(socket: Socket): void {
  socket.end(() => socket.destroy())
}

/** Sends RST. What carries TLS can't; it ends without a goodbye, which its clients take for the same. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** The beginning of an answer, up to the middle of its headers. */
function halfHead(status: number, headers: readonly string[]): string {
  // A request that was lost on its way has no status.
  const code = status === 0 ? 200 : status
  const lines = [`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}`]
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`)
  const head = lines.join('\r\n')
  return head.slice(0, Math.ceil((lines[0]!.length + head.length) / 2))
}
