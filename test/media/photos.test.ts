import sharp from 'sharp'
import { expect, it } from 'vitest'
import type { Drawing, DrawingBase, Photo } from '../pictures/drawings.ts'
import type { MediaSource } from '../../src/media/source.ts'
import { meanColour, meanDifference } from './clips.ts'
import { fingerprint, flat, openMedia, part, raster } from './open.ts'

const RED = '#d02020'
const BLUE = '#2030d0'
const COLOURS = [RED, BLUE, '#20c040', '#f0d020', '#f0f0f0']
const frame = { width: 256, height: 256 }
const picture = (base: DrawingBase, edits: Drawing['edits'] = []) => ({
  kind: 'picture' as const,
  drawing: { base, edits },
})
const send = (media: MediaSource, colours: readonly string[]): Promise<Photo[]> =>
  Promise.all(colours.map(async (colour) => media.receiveImage(await flat(colour))))

/** How many pixels are about this colour. */
function count(data: Uint8Array, colour: string): number {
  const wanted = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
  let found = 0
  for (let i = 0; i < data.length; i += 3) {
    if (wanted.every((value, channel) => Math.abs(data[i + channel]! - value) < 24)) found += 1
  }
  return found
}

it('tells the dominant colours of a picture, the most frequent first', async () => {
  await using media = openMedia()
  const corner = await flat(BLUE, 40, 120)
  const bytes = await sharp(await flat(RED))
    .composite([{ input: corner, left: 0, top: 0 }])
    .png()
    .toBuffer()
  const { colours } = await media.receiveImage(bytes)
  expect(colours).toHaveLength(2)
  expect(colours[0]).toMatch(/^#[cd].{5}$/)
  expect((await media.receiveImage(await flat('#ffffff'))).colours).toEqual(['#ffffff'])
})

it('shows a photo as it is', async () => {
  await using media = openMedia()
  const [photo] = await send(media, [RED])
  const { data } = await raster(await media.picture(picture({ kind: 'photo', image: photo!, ...frame })))
  expect(count(data, RED)).toBe(256 * 256)
})

it.each([2, 3, 4, 5])('shows each of %d photos in each of the four blends', async (number) => {
  await using media = openMedia()
  const colours = COLOURS.slice(0, number)
  const images = await send(media, colours)
  const blend = picture({ kind: 'blend', images, seed: 1, ...frame })
  for (const tile of [1, 2, 3, 4]) {
    const { data } = await raster(await media.picture({ ...blend, tile }))
    for (const colour of colours)
      expect(count(data, colour), `${colour} in ${tile}`).toBeGreaterThan(128 * 128 * 0.04)
  }
})

it('draws what a prompt asks for into the photo, four times in another way', async () => {
  await using media = openMedia()
  const [image] = await send(media, [BLUE])
  const edit = picture({ kind: 'edit', image: image!, prompt: 'a red fox', seed: 1, ...frame })
  const tiles = await Promise.all([1, 2, 3, 4].map((tile) => media.picture({ ...edit, tile })))
  expect(new Set(await Promise.all(tiles.map(fingerprint))).size).toBe(4)
  for (const tile of tiles) {
    const { data } = await raster(tile)
    const share = count(data, BLUE) / (128 * 128)
    expect(share).toBeGreaterThan(0.5)
    expect(share).toBeLessThan(0.98)
  }
})

it('surrounds a photo with land in its colours', async () => {
  await using media = openMedia()
  const [image] = await send(media, [BLUE])
  const zoomed = picture({ kind: 'photo', image: image!, ...frame }, [
    { do: 'zoom', factor: 2, seed: 1 },
    { do: 'upscale', tile: 1 },
  ])
  const all = await raster(await media.picture(zoomed))
  const middle = await part(all, { left: 72, top: 72, width: 112, height: 112 })
  expect(count(middle.data, BLUE)).toBe(112 * 112)
  const [red, , blue] = meanColour((await part(all, { left: 0, top: 0, width: 256, height: 40 })).data)
  expect(blue).toBeGreaterThan(red)
})

it('varies a photo by its light and colours, and keeps what it shows', async () => {
  await using media = openMedia()
  const corner = await flat('#f0f0f0', 60, 120)
  const bytes = await sharp(await flat(BLUE))
    .composite([{ input: corner, left: 0, top: 0 }])
    .png()
    .toBuffer()
  const image = await media.receiveImage(bytes)
  const drawing = { kind: 'photo', image, ...frame } as const
  const parent = await raster(await media.picture(picture(drawing)))
  const subtle = picture(drawing, [{ do: 'vary', strong: false, seed: 1 }])
  for (const tile of [1, 2, 3, 4]) {
    const child = await raster(await media.picture({ ...subtle, tile }))
    const small = await part(parent, { left: 0, top: 0, ...frame }, { width: 128, height: 128 })
    const difference = meanDifference(child.data, small.data)
    expect(difference).toBeGreaterThan(0.5)
    expect(difference).toBeLessThan(40)
  }
})

it('shows image prompts for real', async () => {
  await using media = openMedia()
  const images = await send(media, [BLUE])
  const base = { kind: 'imagine', prompt: 'desert', model: '7', seed: 1, images, ...frame } as const
  for (const tile of [1, 2, 3, 4]) {
    const { data } = await raster(await media.picture({ ...picture(base), tile }))
    expect(count(data, BLUE)).toBeGreaterThan(128 * 128 * 0.03)
  }
})

it('draws a stand-in for a photo that never came, and for one that is gone until it comes again', async () => {
  await using media = openMedia()
  const render = (image: Photo) => media.picture(picture({ kind: 'photo', image, ...frame }))
  const one = await render({ url: 'https://example.com/a-fox.png', width: 9, height: 9, colours: [] })
  const other = await render({ url: 'https://example.com/a-castle.png', width: 9, height: 9, colours: [] })
  expect(await fingerprint(one)).not.toBe(await fingerprint(other))

  await using elsewhere = openMedia()
  const [photo] = await send(elsewhere, [RED])
  const standIn = await render(photo!)
  await send(media, [RED])
  expect((await render(photo!)).etag).not.toBe(standIn.etag)
  expect(count((await raster(await render(photo!))).data, RED)).toBe(256 * 256)
})

it('refuses as a mask what is not a picture, or too large a one', async () => {
  await using media = openMedia({ imageBytes: 100_000, imagePixels: 1000 })
  await expect(media.receiveMask(Buffer.from('hello'))).rejects.toThrow(/not a picture: send PNG/)
  await expect(media.receiveMask(await flat(RED))).rejects.toThrow(/too large: 120x120/)
  await expect(media.receiveMask(new Uint8Array(200_000))).rejects.toThrow(/too large: 0\.2 MB/)
})
