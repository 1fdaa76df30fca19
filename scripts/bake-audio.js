// Encodes the sounds of clips as loops of AAC frames, once: src/media/audio/aac-frames.json is committed, so that no
// encoder of audio is needed at run time, and the bytes are the same everywhere. Run it with an ffmpeg on PATH:
// node scripts/bake-audio.js
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const samplesPerSecond = 48_000
const samplesPerFrame = 1024

/**
 * Sounds that repeat without a seam after whole frames. A sample of each channel, -1 to 1, by its index.
 *
 * @type {Record<string, { frames: number, bitRate: string, sample: (index: number, channel: number) => number }>}
 */
const sounds = {
  silence: { frames: 1, bitRate: '64k', sample: () => 0 },
  // Ten periods a frame: 468.75 Hz.
  tone: {
    frames: 1,
    bitRate: '64k',
    sample: (index) => 0.125 * Math.sin((2 * Math.PI * 10 * index) / samplesPerFrame),
  },
  ambience: { frames: 96, bitRate: '32k', sample: ambience(96 * samplesPerFrame) },
}

/** A room, or wind far away: noise without high frequencies, which swells and falls. @param {number} length */
function ambience(length) {
  const channels = [1, 2].map((seed) => {
    let state = seed * 2_654_435_761
    const noise = Float64Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 31 - 1
    })
    let [low, slow] = [0, 0]
    const filtered = new Float64Array(length)
    // The first time round only fills the filters, so that the end meets the beginning.
    for (let index = 0; index < 2 * length; index += 1) {
      low += 0.04 * ((noise[index % length] ?? 0) - low)
      slow += 0.002 * (low - slow)
      filtered[index % length] = low - slow
    }
    return filtered.map((value, index) => 0.16 * value * (1 + 0.5 * Math.sin((2 * Math.PI * index) / length)))
  })
  return (/** @type {number} */ index, /** @type {number} */ channel) =>
    channels[channel]?.[index % length] ?? 0
}

/**
 * The frames of the second time that a sound is heard: the encoder has settled then.
 *
 * @param {{ frames: number, bitRate: string, sample: (index: number, channel: number) => number }} sound
 */
function framesOf({ frames, bitRate, sample }) {
  const settled = frames * Math.max(1, Math.ceil(8 / frames))
  const count = (settled + frames + 2) * samplesPerFrame
  const pcm = new Int16Array(2 * count)
  for (let index = 0; index < count; index += 1)
    for (const channel of [0, 1])
      pcm[2 * index + channel] = Math.round(32_767 * sample(index % (frames * samplesPerFrame), channel))
  const options = `-hide_banner -loglevel error -f s16le -ar ${samplesPerSecond} -ac 2 -i pipe:0
    -c:a aac -b:a ${bitRate} -aac_pns 0 -fflags +bitexact -flags:a +bitexact -f adts pipe:1`
  const { stdout, status, stderr } = spawnSync('ffmpeg', options.trim().split(/\s+/), {
    input: Buffer.from(pcm.buffer),
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`ffmpeg failed: ${stderr.toString()}`)
  /** @type {string[]} */
  const all = []
  for (let at = 0; at < stdout.length;) {
    const length = (stdout.readUIntBE(at + 3, 3) >> 5) & 0x1fff
    all.push(stdout.subarray(at + 7, at + length).toString('base64'))
    at += length
  }
  return all.slice(settled, settled + frames)
}

/** @type {Record<string, { frames: string[], order: number[] }>} */
const baked = {}
for (const [name, sound] of Object.entries(sounds)) {
  const frames = framesOf(sound)
  const different = [...new Set(frames)]
  baked[name] = { frames: different, order: frames.map((frame) => different.indexOf(frame)) }
  const bytes = different.join('').length * 0.75
  console.log(`${name}: ${different.length} different of ${frames.length} frames, ${bytes} bytes`)
}
const path = process.argv[2] ?? new URL('../src/media/audio/aac-frames.json', import.meta.url)
writeFileSync(path, `${JSON.stringify(baked)}\n`)
