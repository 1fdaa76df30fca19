import fc from 'fast-check'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { brushOver, paintWith, extractPalette } from '../../src/media/raster/illustrate.ts'
import type { Pixels } from '../../src/media/raster/pixels.ts'
import type { MediaSource } from '../../src/media/source.ts'
import { openMedia, raster } from './open.ts'

/** The same numbers from 0 to 1 in each run. */
function createRng(seed: number): () => number {
  let state = seed
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
}

/** Like a photo: a light sky above textured ground, a disc, and noise everywhere. */
function photo(
  seed: number,
  { width, height, noise }: { width: number; height: number; noise: number },
): Pixels {
  const random = createRng(seed)
  const texture = Array.from({ length: 4_096 }, random)
  const data = new Uint8Array(width * height * 3)
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 3) {
      const isSky = y < height * (0.4 + 0.1 * Math.sin(x / 90 + seed))
      const isDisc = Math.hypot(x - width / 3, y - height / 4) < width / 10
      const grain = texture[(Math.floor(x / 3) * 31 + Math.floor(y / 9) * 17) & 4_095]!
      const base = isDisc
        ? [240, 200, 80]
        : isSky
          ? [120 + y / 8, 160 + y / 10, 220]
          : [90 * grain, 60 + 150 * grain, 40 * seed]
      for (let channel = 0; channel < 3; channel += 1)
        data[at + channel] = Math.max(0, Math.min(255, base[channel]! + (random() - 0.5) * noise))
    }
  }
  return { data, width, height, channels: 3 }
}

const colourCount = ({ data }: { data: Uint8Array }): number =>
  new Set(
    Array.from({ length: data.length / 3 }, (_, index) => data.subarray(3 * index, 3 * index + 3).join()),
  ).size

it('smooths noise and keeps edges', () => {
  const [width, height] = [64, 32]
  const random = createRng(1)
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const x = Math.floor(at / 3) % width
    return (x < 32 ? 60 : 180) + random() * 30
  })
  const { data: brushed } = brushOver({ data, width, height, channels: 3 })
  const row = (of: Uint8Array): number[] => Array.from({ length: width }, (_, x) => of[(16 * width + x) * 3]!)
  const isLight = (value: number): boolean => value > 135
  expect(row(brushed).map(isLight)).toEqual(Array.from({ length: width }, (_, x) => x >= 32))
  const spread = (values: number[]): number => Math.max(...values) - Math.min(...values)
  expect(spread(row(brushed).slice(0, 32))).toBeLessThan(spread(row(data).slice(0, 32)) / 2)
})

it('leaves a plain area as it is, whatever its color and size', () => {
  const color = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  const side = fc.integer({ min: 1, max: 12 })
  fc.assert(
    fc.property(color, side, side, (rgb, width, height) => {
      const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => rgb[at % 3]!)
      const plain: Pixels = { data, width, height, channels: 3 }
      const brushed = brushOver(plain)
      expect(brushed.data).toEqual(data)
      expect(paintWith(extractPalette(brushed), plain).data).toEqual(data)
    }),
  )
})

it('paints with twenty colors at most, each pixel with the nearest', () => {
  const pixels = photo(2, { width: 120, height: 90, noise: 60 })
  const palette = extractPalette(pixels)
  expect(palette.length).toBeLessThanOrEqual(20)
  const painted = paintWith(palette, pixels)
  expect(colourCount(painted)).toBeGreaterThan(10)
  expect(colourCount(painted)).toBeLessThanOrEqual(palette.length)
})

const sendPhoto = async (media: MediaSource, seed: number, noise: number) => {
  const { data, width, height } = photo(seed, { width: 1_200, height: 900, noise })
  return media.receiveImage(
    await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 92 })
      .toBuffer(),
  )
}

it.each([
  [2, 40, { width: 1_024, height: 1_024 }],
  [5, 40, { width: 1_256, height: 840 }],
  [3, 120, { width: 840, height: 1_256 }],
])(
  'draws a blend of %d photos in 400 kB, the same each time',
  async (count, noise, size) => {
    const bytes = await Promise.all(
      [1, 2].map(async () => {
        await using media = openMedia()
        const images = await Promise.all(
          Array.from({ length: count }, (_, index) => sendPhoto(media, index + 1, noise)),
        )
        const drawing = { base: { kind: 'blend', images, seed: 1, ...size }, edits: [] } as const
        return (await media.picture({ kind: 'picture', drawing })).bytes
      }),
    )
    expect(bytes[0]!.length).toBeLessThan(400_000)
    expect(Buffer.compare(bytes[0]!, bytes[1]!)).toBe(0)
  },
  30_000,
)

it('keeps the pixels of a photo that is not blended', async () => {
  await using media = openMedia()
  const image = await sendPhoto(media, 1, 40)
  const drawing = { base: { kind: 'photo', image, width: 400, height: 400 }, edits: [] } as const
  expect(colourCount(await raster(await media.picture({ kind: 'picture', drawing })))).toBeGreaterThan(5_000)
})
