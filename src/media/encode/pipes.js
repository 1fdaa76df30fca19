// Message protocol of the renderer and encoder child processes over stdin and stdout. I/O is blocking on purpose: only
// the child waits. When the parent exits, stdin reaches EOF and the child exits too.
import { readSync, writeSync } from 'node:fs'

const input = 0
const output = 1

/** Ctrl-C signals the whole process group, including this child. The parent decides when the child exits. */
export function leaveInterruptsToOthers() {
  process.on('SIGINT', () => undefined)
}

/**
 * The next message: a u32 length and JSON.
 *
 * @returns {any} undefined when the parent has ended
 */
export function readMessage() {
  const length = Buffer.alloc(4)
  if (!readAll(length)) return undefined
  const message = Buffer.alloc(length.readUInt32LE())
  return readAll(message) ? JSON.parse(message.toString()) : undefined
}

/**
 * Sends a response in the same format.
 *
 * @param {{ version: string } | { byteLength: number } | { error: string; isMissing?: boolean }} message
 */
export function sendAnswer(message) {
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  writeAll(Buffer.concat([length, body]))
}

/**
 * @param {Uint8Array | Int8Array} target filled to its end
 * @returns {boolean} false when the input ended first
 */
export function readAll(target) {
  for (let filled = 0; filled < target.length;) {
    const count = retryWhileBusy(() => readSync(input, target, filled, target.length - filled, null))
    if (count === 0) return false
    filled += count
  }
  return true
}

/** @param {Uint8Array} bytes */
export function writeAll(bytes) {
  for (let written = 0; written < bytes.length;) {
    written += retryWhileBusy(() => writeSync(output, bytes, written))
  }
}

/**
 * Retries after EAGAIN: pipes block by default, but some systems make them non-blocking.
 * @param {() => number} action
 */
function retryWhileBusy(action) {
  for (;;) {
    try {
      return action()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
    }
  }
}
