import { createHash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { nodeMedia } from '../../src/media/node.ts'
import { boxesOf, decode, meanDifference, specOf } from './clips.ts'

const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
afterAll(() => media.close())

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

for (const quality of ['full', 'fast'] as const) {
  it(`makes a ${quality} clip of the requested size, length and frame rate`, async () => {
    const spec = specOf({ quality, seconds: 3, framesPerSecond: 10, width: 322, height: 182 })

    const { bytes, type } = await media.clip(spec)

    expect(type).toBe('video/mp4')
    expect(boxesOf(bytes)).toMatchObject({
      order: ['ftyp', 'moov', 'mdat'],
      codec: expect.stringMatching(/^avc1\.(42c0|4d40|6400)/i),
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

  it(`makes ${quality} distinct clips for two prompts`, async () => {
    const [deer, sea] = [specOf({ quality }), specOf({ quality, prompt: 'a sailboat on a pink sea' })]

    const [a, b] = await Promise.all([media.clip(deer), media.clip(sea)])

    const [decodedA, decodedB] = await Promise.all([decode(a.bytes, deer), decode(b.bytes, sea)])
    expect(meanDifference(decodedA.frames[0]!, decodedB.frames[0]!)).toBeGreaterThan(20)
  })

  it(`makes the same bytes of the same ${quality} spec in two sources`, async () => {
    await using other = Object.assign(nodeMedia({ ffmpeg: 'wasm', cacheDir: false }), {
      [Symbol.asyncDispose]: () => other.close(),
    })

    const [a, b] = await Promise.all([media.clip(specOf({ quality })), other.clip(specOf({ quality }))])

    expect(Buffer.compare(a.bytes, b.bytes)).toBe(0)
    expect(a.etag).toBe(`"${sha256(a.bytes)}"`)
    expect(b.etag).toBe(a.etag)
  })
}

it('reports each frame while a full clip is encoded, and none for a cached one', async () => {
  const spec = specOf({ taskId: 'counted', seconds: 1, width: 64, height: 48 })
  const frames: number[] = []

  await media.clip(spec, (frame) => frames.push(frame))
  await media.clip(spec, (frame) => frames.push(frame))

  expect(frames).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
})

it('moves in every second of a full clip', async () => {
  const { bytes } = await media.clip(specOf())

  const { frames } = await decode(bytes, specOf())

  expect(meanDifference(frames[0]!, frames[12]!)).toBeGreaterThan(0.5)
  expect(meanDifference(frames[12]!, frames[23]!)).toBeGreaterThan(0.5)
})

it('shows another picture in every second of a fast clip, and the same all through it', async () => {
  const spec = specOf({ quality: 'fast' })
  const { bytes } = await media.clip(spec)

  const { frames } = await decode(bytes, spec)

  expect(meanDifference(frames[0]!, frames[11]!)).toBe(0)
  expect(meanDifference(frames[11]!, frames[12]!)).toBeGreaterThan(1)
})

it('gives the fast clips of two tasks with one prompt colours of their own', async () => {
  const [one, two] = [specOf({ quality: 'fast' }), specOf({ quality: 'fast', taskId: 'task_2' })]

  const [a, b] = await Promise.all([media.clip(one), media.clip(two)])

  const [decodedA, decodedB] = await Promise.all([decode(a.bytes, one), decode(b.bytes, two)])
  const corner = (frame: Uint8Array) => [...frame.subarray(0, 3)]
  expect(a.etag).not.toBe(b.etag)
  expect(corner(decodedA.frames[0]!)).not.toEqual(corner(decodedB.frames[0]!))
})

it('makes clips of the smallest and of odd shapes', async () => {
  for (const shape of [
    { width: 16, height: 16, seconds: 1, framesPerSecond: 1 },
    { width: 18, height: 400, seconds: 2, framesPerSecond: 60 },
    { width: 640, height: 16, seconds: 3, framesPerSecond: 1 },
  ]) {
    for (const quality of ['full', 'fast'] as const) {
      const spec = specOf({ ...shape, quality })
      const { bytes } = await media.clip(spec)
      const { frames } = await decode(bytes, spec)
      expect(frames, JSON.stringify(spec)).toHaveLength(shape.seconds * shape.framesPerSecond)
    }
  }
})

it('takes any text as a prompt: none of it reaches the encoder', async () => {
  const prompts = [
    `':;[]\\%{}"$(touch x)\n-i /etc/passwd`,
    '🦊 狐 ثعلب',
    ' ',
    'x'.repeat(1_000_000),
    '<svg>&amp;\0\ud800',
  ]
  for (const prompt of prompts) {
    for (const quality of ['full', 'fast'] as const) {
      const spec = specOf({ prompt, quality, seconds: 1, framesPerSecond: 2, taskId: prompt, model: prompt })
      expect(boxesOf((await media.clip(spec)).bytes).frames).toBe(2)
    }
  }
})

// Should one of these two change on purpose, raise `clipRecipe` in media-cache.ts: cached clips are out of date.
it('makes fast clips of the same bytes on every machine', async () => {
  const { bytes } = await media.clip(specOf({ quality: 'fast' }))

  expect(sha256(bytes)).toBe('13c08d475d3635556637424aa4629c0aa0ba5e3a3bcac55e3e7cc765dfd89e2b')
})

// Drawing goes through sharp, whose rounding may differ between processors.
it.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'makes full clips of the same bytes as ever',
  async () => {
    const { bytes } = await media.clip(specOf())

    expect(sha256(bytes)).toBe('7d1c95f7c3f405222d8a662f7c7b0fb56cd2bfb5802315a1ec995d00521b0224')
  },
)
