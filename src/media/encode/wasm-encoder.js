// A program of its own: ffmpeg and libx264 as WebAssembly, fed through stdin, answering through stdout. They
// are under the GPL and stay outside our process. Everything here blocks on purpose. When the parent ends, stdin ends,
// and so does this program.
//
// In:  for each job a u32 length, JSON { width, height, frames, arguments }, then that many frames of YUV 4:2:0.
// Out: a u32 length and JSON { version } once loaded; then for each job the same with { byteLength } and that
//      many bytes of H.264. { error } is the last word in both places.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { leaveInterruptsToOthers, readAll, readMessage, sendAnswer, writeAll } from './pipes.js'

/** @typedef {{ width: number, height: number, frames: number, arguments: string[] }} Job */

const require = createRequire(import.meta.url)
const clipPath = '/clip.h264'

/** The last lines the encoder wrote. @type {string[]} */
let log = []
/** How much of what the encoder reads as `/frames` is still to come. */
let bytesLeft = 0

leaveInterruptsToOthers()

try {
  const core = await load()
  core.exec('-version')
  sendAnswer({ version: log.find((line) => line.startsWith('ffmpeg version')) ?? 'ffmpeg of @ffmpeg/core' })
  for (let job = nextJob(); job; job = nextJob()) {
    const stream = encode(core, job)
    sendAnswer({ byteLength: stream.length })
    writeAll(stream)
  }
} catch (error) {
  sendAnswer({ error: error instanceof Error ? error.message : String(error) })
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

  // A device of our own lets the encoder read frames as they come: a whole clip is never in memory.
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
  const frameBytes = job.width * job.height * 1.5
  bytesLeft = job.frames * frameBytes

  core.reset()
  const status = core.exec(...job.arguments, clipPath)
  if (status !== 0 || bytesLeft > 0) {
    const framesLeft = Math.ceil(bytesLeft / frameBytes)
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
  const part = target.subarray(0, bytesLeft)
  if (!readAll(part)) throw new Error('The frames ended early.')
  bytesLeft -= part.length
  return part.length
}

/** @returns {Job | undefined} undefined when the parent has ended */
function nextJob() {
  return readMessage()
}
