// How programs of ours that draw and encode hear and answer: through stdin and stdout, blocking on purpose. Whoever
// started them goes on working, and when they are gone stdin ends and so do the programs.
import { readSync, writeSync } from 'node:fs'

const input = 0
const output = 1

/** Ctrl-C in a terminal is sent to us, too. Whoever started us decides what it means for us. */
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
 * Answers with such a message.
 *
 * @param {{ version: string } | { byteLength: number } | { error: string }} message
 */
export function answer(message) {
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
    const count = patiently(() => readSync(input, target, filled, target.length - filled, null))
    if (count === 0) return false
    filled += count
  }
  return true
}

/** @param {Uint8Array} bytes */
export function writeAll(bytes) {
  for (let written = 0; written < bytes.length;) {
    written += patiently(() => writeSync(output, bytes, written))
  }
}

/**
 * Pipes block here as a rule; where a system made them otherwise, wait a moment and try again.
 * @param {() => number} action
 */
function patiently(action) {
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
