import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { encoderCandidate } from '../../src/media/encode/encoder-candidate.ts'
import { nodeMedia, type NodeMediaOptions } from '../../src/media/node.ts'
import { boxesOf, decode, meanDifference, specOf } from './clips.ts'
import { folder, program } from './folders.ts'

const isWindows = process.platform === 'win32'
// A native ffmpeg to put in the place of ffmpeg-static's program, which only a download gives.
const ffmpegStatic = process.env['GREENROOM_TEST_FFMPEG'] || undefined
const withFfmpegStatic = it.skipIf(encoderCandidate({ ffmpegStatic }).kind !== 'ffmpeg-static')
const standIn = fileURLToPath(new URL('./stand-in-ffmpeg.js', import.meta.url))
const runStandIn = `exec "${process.execPath}" "${standIn}" "$@"`

afterEach(() => {
  vi.unstubAllEnvs()
})

function open(options: NodeMediaOptions = {}) {
  const media = nodeMedia({ cacheDir: false, ...options })
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() })
}

withFfmpegStatic('encodes the requested clip with ffmpeg-static if its program is installed', async () => {
  const onWarning = vi.fn()
  await using media = open({ ffmpegStatic, onWarning })
  const spec = specOf({ seconds: 3, framesPerSecond: 10, width: 322, height: 182 })

  const { bytes } = await media.clip(spec)

  expect(media.encoder()).toMatchObject({ candidate: 'ffmpeg-static', verified: true })
  expect(onWarning).not.toHaveBeenCalled()
  expect(boxesOf(bytes)).toMatchObject({
    order: ['ftyp', 'moov', 'mdat'],
    codec: expect.stringMatching(/^avc1\./),
    width: 322,
    height: 182,
    frames: 30,
    seconds: 3,
    trackSeconds: 3,
  })
  const { frames, stream } = await decode(bytes, spec)
  expect(frames).toHaveLength(30)
  expect(stream).toMatch(/yuv420p\(tv, bt709/)
  expect(stream).toMatch(/322x182.* 10 fps/)
})

withFfmpegStatic(
  'shows with ffmpeg-static, where its program is installed, what WebAssembly shows',
  async () => {
    await using native = open({ ffmpegStatic })
    await using wasm = open({ ffmpeg: 'wasm' })
    const spec = specOf()

    const [one, other] = await Promise.all([native.clip(spec), wasm.clip(spec)])

    const [decoded, expected] = [await decode(one.bytes, spec), await decode(other.bytes, spec)]
    for (const frame of [0, 11, 23]) {
      expect(meanDifference(decoded.frames[frame]!, expected.frames[frame]!)).toBeLessThan(4)
    }
  },
)

withFfmpegStatic(
  'makes with ffmpeg-static, where its program is installed, the same bytes twice',
  async () => {
    await using first = open({ ffmpegStatic })
    await using second = open({ ffmpegStatic })

    const [one, other] = [await first.clip(specOf()), await second.clip(specOf())]

    expect(other.etag).toBe(one.etag)
  },
)

it.skipIf(isWindows)('prefers the option to ffmpeg-static, and that to WebAssembly', async () => {
  await using files = await folder()
  const [given, ffmpegStatic] = [await program(files, 'given', ''), await program(files, 'static', '')]

  expect(encoderCandidate({ ffmpeg: given, ffmpegStatic })).toMatchObject({ kind: 'given', program: given })
  expect(encoderCandidate({ ffmpeg: 'wasm', ffmpegStatic })).toMatchObject({ kind: 'wasm' })
  expect(encoderCandidate({ ffmpegStatic })).toMatchObject({
    kind: 'ffmpeg-static',
    program: ffmpegStatic,
  })
  expect(encoderCandidate({ ffmpegStatic: `${files.path}/none` })).toMatchObject({ kind: 'wasm' })
  expect(encoderCandidate({ ffmpegStatic: files.path })).toMatchObject({ kind: 'wasm' })
})

it.skipIf(isWindows)('takes no ffmpeg that merely lies on PATH', async () => {
  await using files = await folder()
  await program(files, 'ffmpeg', runStandIn)
  vi.stubEnv('PATH', files.path + delimiter + process.env['PATH'])

  expect(encoderCandidate({ ffmpegStatic: `${files.path}/none` })).toMatchObject({ kind: 'wasm' })
})

it.skipIf(isWindows)('makes clips with WebAssembly where ffmpeg-static has no libx264', async () => {
  await using files = await folder()
  const ffmpegStatic = await program(
    files,
    'ffmpeg',
    `case "$*" in *-encoders*) echo " V..... libx264rgb";; esac`,
  )
  const onWarning = vi.fn()
  await using media = open({ ffmpegStatic, onWarning })

  const { bytes } = await media.clip(specOf({ width: 64, height: 64, seconds: 1 }))

  expect(boxesOf(bytes).frames).toBe(12)
  expect(media.encoder()).toMatchObject({ candidate: 'wasm', verified: true })
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/does not list the encoder libx264.*wasm/),
  )
})

it.skipIf(isWindows)('starts no program for clips that are dropped and were never made', async () => {
  await using files = await folder()
  const started = join(files.path, 'started')
  const path = await program(files, 'ffmpeg', `touch "${started}"; ${runStandIn}`)
  await using media = open({ ffmpeg: path })
  const last = specOf({ quality: 'fast' })
  const made = await media.clip(last)
  for (let index = 0; index < 100; index++) media.forget!(specOf({ taskId: `gone ${index}` }))
  media.forget!(last)
  await expect.poll(() => media.clip(last) === made, { timeout: 20_000 }).toBe(false)
  expect(existsSync(started)).toBe(false)

  await media.clip(specOf())
  expect(existsSync(started)).toBe(true)
})
