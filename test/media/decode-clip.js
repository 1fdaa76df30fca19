// A run of its own of the encoder's decoder: node decode-clip.js <clip.mp4> <frames.rgb> [<sound.pcm>]
// Strict: the first error in the stream ends it. Writes all frames as rgb24 and prints what it found.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [clip = '', frames = '', sound = ''] = process.argv.slice(2)
const require = createRequire(import.meta.url)
Object.assign(globalThis, { self: globalThis, location: { href: '' } })
/** @type {(options: { wasmBinary: Buffer }) => Promise<any>} */
// @ts-ignore It comes without types.
const createCore = require('@ffmpeg/core')
const core = await createCore({ wasmBinary: readFileSync(require.resolve('@ffmpeg/core/wasm')) })
/** @type {string[]} */
const log = []
core.setLogger((/** @type {{ message: string }} */ { message }) => log.push(message))
core.FS.writeFile('/clip.mp4', readFileSync(clip))
const strict = ['-v', 'info', '-err_detect', 'explode', '-xerror']
const status = core.exec(...strict, '-i', '/clip.mp4', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '/frames.rgb')
if (status === 0) writeFileSync(frames, core.FS.readFile('/frames.rgb'))
if (sound !== '') {
  core.reset()
  core.exec(...strict, '-i', '/clip.mp4', '-f', 's16le', '-ac', '1', '/sound.pcm')
  writeFileSync(sound, core.FS.readFile('/sound.pcm'))
}
process.stdout.write(JSON.stringify({ status, log }))
