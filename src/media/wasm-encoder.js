// A program of its own: ffmpeg and libx264 as WebAssembly, fed through stdin, answering through stdout. They
// are under the GPL and stay outside our process. Everything in here blocks on purpose: whoever started us
// goes on working, and when they are gone stdin ends and so do we.
//
// In:  for each job a u32 length, JSON { width, height, frames, arguments }, then that many rgb24 frames.
// Out: a u32 length and JSON { version } once loaded; then for each job the same with { byteLength } and that
//      many bytes of H.264. { error } is the last word in both places.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { answer, leaveInterruptsToOthers, readAll, readMessage, writeAll } from './pipes.js'
import { rgbToYuv420 } from './rgb-to-yuv.js'

/** @typedef {{ width: number, height: number, frames: number, arguments: string[] }} Job */

const require = createRequire(import.meta.url)
const clipPath = '/clip.h264'

/** The last lines the encoder wrote. @type {string[]} */
let log = []
/** What the encoder reads as `/frames`: one converted frame after the other. */
let framesLeft = 0
let rgb = Buffer.alloc(0)
let yuv = Buffer.alloc(0)
let position = 0
let size = { width: 0, height: 0 }

leaveInterruptsToOthers()

try {
  const core = await load()
  core.exec('-version')
  answer({ version: log.find((line) => line.startsWith('ffmpeg version')) ?? 'ffmpeg of @ffmpeg/core' })
  for (let job = nextJob(); job; job = nextJob()) {
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
function nextJob() {
  return readMessage()
}
