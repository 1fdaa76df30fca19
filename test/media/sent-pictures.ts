import sharp from 'sharp'
import { expect } from 'vitest'
import { nodeMedia, type NodeMediaOptions } from '../../src/media/node.ts'
import { decode, meanColour, meanDifference, specOf } from './clips.ts'
import { fingerprint, openMedia } from './open.ts'

export function open(options: NodeMediaOptions = {}) {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false, ...options })
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() })
}

/** Left half red, right half blue. */
export function halves(width: number, height: number) {
  const half = { create: { width: width / 2, height, channels: 3 as const, background: '#3050d0' } }
  return sharp({ create: { width, height, channels: 3, background: '#d04030' } }).composite([
    { input: half, left: width / 2, top: 0 },
  ])
}

/** Expects that a clip begins with the picture that its request sent. */
export async function expectPictureIn(quality: 'full' | 'fast'): Promise<void> {
  await using media = open()
  const { digest } = await media.receiveImage(await halves(800, 450).png().toBuffer())
  const spec = specOf({ quality, caption: false, image: { digest } })

  const { bytes } = await media.clip(spec)

  const { frames } = await decode(bytes, spec)
  const sent = new Uint8Array(await halves(320, 180).removeAlpha().raw().toBuffer())
  expect(meanDifference(frames[0]!, sent)).toBeLessThan(12)
  const [red, green, blue] = meanColour(frames[0]!)
  expect(Math.abs(red - 128)).toBeLessThan(14)
  expect(Math.abs(green - 72)).toBeLessThan(10)
  expect(Math.abs(blue - 128)).toBeLessThan(14)
  expect(meanDifference(frames[0]!, frames.at(-1)!)).toBeGreaterThan(0.3)
}

/** Expects that clips for two image URLs, and for none, are different. */
export async function expectPlaceholderIn(quality: 'full' | 'fast'): Promise<void> {
  await using media = open()
  const image = { url: 'http://127.0.0.1:9/a-fox.png' }

  const clips = await Promise.all([
    media.clip(specOf({ quality, image })),
    media.clip(specOf({ quality, image: { url: 'http://127.0.0.1:9/a-castle.png' } })),
    media.clip(specOf({ quality })),
  ])

  expect(new Set(await Promise.all(clips.map(fingerprint)))).toHaveLength(3)
}

/** Expects that a full clip for a picture that is gone is rendered once for several downloads. */
export async function expectOneRender(): Promise<void> {
  await using media = openMedia()
  const image = { digest: 'a'.repeat(64) }
  const spec = specOf({ quality: 'full', image, width: 64, height: 48, seconds: 1 })
  let frames = 0
  const download = async (): Promise<number> => {
    await media.clip(spec, () => void frames++)
    return frames
  }
  const once = await download()
  expect(once).toBeGreaterThan(0)
  expect([await download(), await download()]).toEqual([once, once])
}
