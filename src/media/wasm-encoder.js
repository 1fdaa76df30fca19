// A program of its own: ffmpeg and libx264 as WebAssembly, fed through stdin, answering through stdout. They
// are under the GPL and stay outside our process. Everything in here blocks on purpose: whoever started us
// goes on working, and when they are gone stdin ends and so do we.
//
// In:  for each job a u32 length, JSON { width, height, frames, arguments }, then that many rgb24 frames.
// Out: a u32 length and JSON { version } once loaded; then for each job the same with { byteLength } and that
//      many bytes of H.264. { error } is the last word in both places.
import { readFileSync, readSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { rgbToYuv420 } from './rgb-to-yuv.js'

/** @typedef {{ width: number, height: number, frames: number, arguments: string[] }} Job */

const require = createRequire(import.meta.url)
const input = 0
const output = 1
const clipPath = '/clip.h264'

/** The last lines the encoder wrote. @type {string[]} */
let log = []
/** What the encoder reads as `/frames`: one converted frame after the other. */
let framesLeft = 0
let rgb = Buffer.alloc(0)
let yuv = Buffer.alloc(0)
let position = 0
let size = { width: 0, height: 0 }

// Ctrl-C in a terminal is sent to us, too. Whoever started us decides what it means for us.
process.on('SIGINT', () => undefined)

try {
  const core = await load()
  core.exec('-version')
  answer({ version: log.find((line) => line.startsWith('ffmpeg version')) ?? 'ffmpeg of @ffmpeg/core' })
  for (let job = readJob(); job; job = readJob()) {
    const stream = encode(core, job)
    answer({ byteLength: stream.length })
    writeAll(stream)
  }
} catch (error) {
  answer({ error: error instanceof Error ? error.message : String(error) })
}

/** @returns {Promise<any>} an instance of ffmpeg, whose module has no types */
async function load() {
  // The module believes that it runs in a web worker, and asks where it came from.
  Object.assign(globalThis, { self: globalThis, location: { href: '' } })
  /** @type {(options: { wasmBinary: Buffer }) => Promise<any>} */
  // @ts-ignore It comes without types.
  const createCore = require('@ffmpeg/core')
  const core = await createCore({ wasmBinary: readFileSync(require.resolve('@ffmpeg/core/wasm')) })
  core.setLogger((/** @type {{ message: string }} */ { message }) => {
    log.push(message)
    if (log.length > 100) log = log.slice(-50)
  })

  // A device of our own lets the encoder read frames as they come: a whole clip never lies in memory.
  const device = core.FS.makedev(64, 0)
  core.FS.registerDevice(device, {
    open: (/** @type {{ seekable: boolean }} */ stream) => (stream.seekable = false),
    close: () => undefined,
    read: (
      /** @type {unknown} */ _stream,
      /** @type {Int8Array} */ heap,
      /** @type {number} */ offset,
      /** @type {number} */ length,
    ) => readFrames(heap.subarray(offset, offset + length)),
  })
  core.FS.mkdev('/frames', 0o444, device)
  return core
}

/**
 * @param {any} core
 * @param {Job} job
 */
function encode(core, job) {
  log = []
  size = job
  framesLeft = job.frames
  rgb = Buffer.allocUnsafe(job.width * job.height * 3)
  yuv = Buffer.allocUnsafe(rgb.length / 2)
  position = yuv.length

  core.reset()
  const status = core.exec(...job.arguments, clipPath)
  if (status !== 0 || framesLeft > 0) {
    throw new Error(
      `ffmpeg ended with status ${status} and ${framesLeft} frames unread: ${log.slice(-5).join(' / ')}`,
    )
  }
  const stream = core.FS.readFile(clipPath)
  core.FS.unlink(clipPath)
  return stream
}

/** @param {Int8Array} target */
function readFrames(target) {
  if (position === yuv.length) {
    if (framesLeft === 0) return 0
    if (!readAll(rgb)) throw new Error('The frames ended early.')
    rgbToYuv420({ rgb, yuv, ...size })
    framesLeft -= 1
    position = 0
  }
  const part = yuv.subarray(position, position + target.length)
  target.set(part)
  position += part.length
  return part.length
}

/** @returns {Job | undefined} nothing once nobody is there any more */
function readJob() {
  const length = Buffer.alloc(4)
  if (!readAll(length)) return undefined
  const header = Buffer.alloc(length.readUInt32LE())
  return readAll(header) ? JSON.parse(header.toString()) : undefined
}

/** @param {{ version: string } | { byteLength: number } | { error: string }} message */
function answer(message) {
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  writeAll(Buffer.concat([length, body]))
}

/**
 * @param {Buffer} target filled to its end
 * @returns {boolean} false when the input ended first
 */
function readAll(target) {
  for (let filled = 0; filled < target.length;) {
    const count = patiently(() => readSync(input, target, filled, target.length - filled, null))
    if (count === 0) return false
    filled += count
  }
  return true
}

/** @param {Uint8Array} bytes */
function writeAll(bytes) {
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
