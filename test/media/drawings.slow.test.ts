import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, it, vi } from 'vitest'
import { type Drawing, type DrawingEdit, drawingOf, U1, upscaled } from '../pictures/drawings.ts'
import type { PictureSpec } from '../../src/media/spec.ts'
import { EVERYDAY_PROMPTS } from '../../scripts/prompts.js'
import { meanDifference } from './clips.ts'
import { folder } from './folders.ts'
import { fingerprint, openMedia, part, raster } from './open.ts'

const spec = (drawing: Drawing, more: Partial<PictureSpec> = {}): PictureSpec => ({
  kind: 'picture',
  drawing,
  ...more,
})
const fox = 'a fox in the hills'
const full = { width: 1024, height: 1024 }

it('draws a grid and its tiles as PNG, of the requested size', async () => {
  await using media = openMedia()
  const grid = await media.picture(spec(drawingOf(fox, [], full)))
  const single = await media.picture(spec(drawingOf(fox, [U1], full)))
  const wide = await media.picture(spec(drawingOf(fox, [], { width: 1456, height: 816 })))

  expect(grid.type).toBe('image/png')
  expect(grid.etag).toBe(`"${createHash('sha256').update(grid.bytes).digest('hex')}"`)
  expect(await raster(grid)).toMatchObject(full)
  expect(await raster(single)).toMatchObject(full)
  expect(await raster(wide)).toMatchObject({ width: 1456, height: 816 })
})

it('shows each tile by itself as it is in the grid', async () => {
  await using media = openMedia()
  const grid = await raster(await media.picture(spec(drawingOf(fox))))
  for (const tile of [1, 2, 3, 4]) {
    const alone = await raster(await media.picture(spec(drawingOf(fox), { tile })))
    const [left, top] = [((tile - 1) % 2) * 128, tile > 2 ? 128 : 0]
    const inGrid = await part(grid, { left, top, width: 128, height: 128 })
    expect(Buffer.compare(alone.data, inGrid.data)).toBe(0)
  }
})

it('shows the same picture when a tile is upscaled, larger', async () => {
  await using media = openMedia()
  const tile = await raster(await media.picture(spec(drawingOf(fox), { tile: 3 })))
  const single = await raster(await media.picture(spec(drawingOf(fox, [{ do: 'upscale', tile: 3 }]))))
  const small = await part(single, { left: 0, top: 0, width: 256, height: 256 }, tile)
  expect(meanDifference(tile.data, small.data)).toBeLessThan(2.5)
})

it('draws four distinct pictures', async () => {
  await using media = openMedia()
  for (const edits of [[], [U1, { do: 'vary', strong: true, seed: 1 }]] as DrawingEdit[][]) {
    const tiles = await Promise.all(
      [1, 2, 3, 4].map((tile) => media.picture(spec(drawingOf(fox, edits), { tile }))),
    )
    expect(new Set(await Promise.all(tiles.map(fingerprint))).size).toBe(4)
  }
})

it('draws the same bytes of the same spec in two sources', async () => {
  await using one = openMedia()
  await using other = openMedia()
  const drawing = upscaled(fox, { do: 'inpaint', prompt: 'a bear', seed: 3 })
  expect((await one.picture(spec(drawing))).etag).toBe((await other.picture(spec(drawing))).etag)
})

it('shows an unfinished picture in the size of the finished one, clearer from step to step', async () => {
  await using media = openMedia()
  const finished = await raster(await media.picture(spec(drawingOf(fox))))
  const steps = await Promise.all(
    [0, 15, 46, 78, 99].map(async (progress) =>
      raster(await media.picture(spec(drawingOf(fox), { progress }))),
    ),
  )
  for (const step of steps) expect(step).toMatchObject({ width: 256, height: 256 })
  const distances = steps.map(({ data }) => meanDifference(data, finished.data))
  expect(distances).toEqual(distances.toSorted((a, b) => b - a))
  expect(distances.at(-1)).toBeLessThan(distances[0]! * 0.6)
})

it('makes thumbnails, never larger than the picture', async () => {
  await using media = openMedia()
  const drawing = drawingOf(fox, [U1], { width: 512, height: 256 })
  expect(await raster(await media.picture(spec(drawing, { maxSide: 100 })))).toMatchObject({
    width: 100,
    height: 50,
  })
  expect(await raster(await media.picture(spec(drawing, { maxSide: 4000 })))).toMatchObject({
    width: 512,
    height: 256,
  })
})

// Tiles are all edges, and each edge is smoothed in another way when it is drawn smaller.
it.each([
  [fox, 3],
  ['neon city at night', 6],
  ['red fox portrait', 3],
  ['bauhaus pattern', 10],
  ['lighthouse in a storm', 3],
  ['a deer in a forest', 3],
  ['ringed planet', 3],
  ['desert', 3],
])('zooming out contains the picture: %s', async (prompt, tolerance) => {
  await using media = openMedia()
  let edits: DrawingEdit[] = [U1]
  for (const seed of [1, 2, 3, 4]) {
    const parent = await raster(await media.picture(spec(drawingOf(prompt, edits))))
    edits = [...edits, { do: 'zoom', factor: 2, seed }]
    const whole = { left: 0, top: 0, width: 256, height: 256 }
    const inside = await part(parent, whole, { width: 128, height: 128 })
    for (const tile of [1, 4]) {
      const single: DrawingEdit[] = [...edits, { do: 'upscale', tile }]
      const child = await raster(await media.picture(spec(drawingOf(prompt, single))))
      const middle = await part(child, { left: 64, top: 64, width: 128, height: 128 })
      expect(meanDifference(middle.data, inside.data), `zoom ${seed}, tile ${tile}`).toBeLessThan(tolerance)
    }
    edits = [...edits, { do: 'upscale', tile: 2 }]
  }
})

it.each([
  fox,
  'neon city at night',
  'red fox portrait',
  'a coffee cup',
  'bauhaus pattern',
  'kandinsky circles',
  'abstract waves',
  'a sailboat',
  'a deer in a forest',
  'ringed planet',
  'desert',
])('the four surroundings are distinct, also of a tiled picture and on a wall: %s', async (prompt) => {
  await using media = openMedia()
  const zoom: DrawingEdit = { do: 'zoom', factor: 2, seed: 1 }
  const far = [zoom, U1, zoom, U1, zoom, U1]
  for (const drawing of [
    upscaled(prompt, zoom),
    upscaled(prompt, { do: 'pan', towards: 'right', seed: 1 }),
    upscaled(prompt, ...far, zoom),
    drawingOf(prompt, [U1, zoom], { tile: true }),
  ]) {
    const tiles = await Promise.all([1, 2, 3, 4].map((tile) => media.picture(spec(drawing, { tile }))))
    expect(new Set(await Promise.all(tiles.map(fingerprint))).size, JSON.stringify(drawing.edits)).toBe(4)
  }
})

it.each(['left', 'right', 'up', 'down'] as const)('panning %s contains the picture', async (towards) => {
  await using media = openMedia()
  const parent = await raster(await media.picture(spec(upscaled(fox))))
  for (const tile of [1, 2]) {
    const edits: DrawingEdit[] = [U1, { do: 'pan', towards, seed: 1 }, { do: 'upscale', tile }]
    const child = await raster(await media.picture(spec(drawingOf(fox, edits))))
    const left = towards === 'left' ? 128 : 0
    const top = towards === 'up' ? 128 : 0
    const same = await part(child, { left, top, width: 256, height: 256 })
    expect(meanDifference(same.data, parent.data)).toBeLessThan(1)
  }
})

it('repaints only what a mask covers', async () => {
  await using media = openMedia()
  const hole = await sharp({ create: { width: 60, height: 80, channels: 4, background: '#ffffff' } })
    .png()
    .toBuffer()
  const mask = await sharp({ create: { width: 256, height: 256, channels: 4, background: '#00000000' } })
    .composite([{ input: hole, left: 150, top: 100 }])
    .png()
    .toBuffer()
  const { digest } = await media.receiveMask(mask)
  const parent = await raster(await media.picture(spec(upscaled(fox))))
  for (const tile of [1, 2, 3, 4]) {
    const edits: DrawingEdit[] = [
      { do: 'inpaint', prompt: 'a castle', mask: digest, seed: 1 },
      { do: 'upscale', tile },
    ]
    const child = await raster(await media.picture(spec(upscaled(fox, ...edits))))
    let [inside, outside] = [0, 0]
    child.data.forEach((value, i) => {
      const [x, y] = [Math.floor(i / 3) % 256, Math.floor(i / 768)]
      const isCovered = x >= 150 && x < 210 && y >= 100 && y < 180
      if (value === parent.data[i]) return
      if (isCovered) inside += 1
      else outside += 1
    })
    expect(outside).toBe(0)
    expect(inside).toBeGreaterThan(1000)
  }
})

it('repaints the middle where there is no mask, or where it is gone', async () => {
  await using media = openMedia()
  const parent = await raster(await media.picture(spec(upscaled(fox))))
  for (const mask of [{}, { mask: 'f'.repeat(64) }]) {
    const edits: DrawingEdit[] = [{ do: 'inpaint', prompt: 'a castle', seed: 1, ...mask }, U1]
    const child = await raster(await media.picture(spec(upscaled(fox, ...edits))))
    const corner = { left: 0, top: 0, width: 36, height: 36 }
    expect(Buffer.compare((await part(child, corner)).data, (await part(parent, corner)).data)).toBe(0)
    expect(meanDifference(child.data, parent.data)).toBeGreaterThan(2)
  }
})

it('draws a landscape that can be laid side by side with itself', async () => {
  await using media = openMedia()
  const { data, width, height } = await raster(
    await media.picture(spec(drawingOf('green hills', [U1], { tile: true }))),
  )
  const pixel = (x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
  for (let i = 0; i < width; i += 1) {
    expect(pixel(0, i)).toEqual(pixel(width - 1, i))
    expect(pixel(i, 0)).toEqual(pixel(i, height - 1))
  }
})

it('keeps finished pictures in the folder, and no previews', async () => {
  await using files = await folder()
  await using first = openMedia({ cacheDir: files.path })
  const made = await first.picture(spec(upscaled(fox)))
  await first.picture(spec(upscaled(fox), { progress: 30 }))
  await first.picture(spec(upscaled(fox), { maxSide: 30 }))
  expect(await readdir(files.path)).toEqual([
    '.greenroom-cache',
    expect.stringMatching(/^picture-[0-9a-f]{64}\.png$/),
  ])

  await using second = openMedia({ cacheDir: files.path })
  expect((await second.picture(spec(upscaled(fox)))).etag).toBe(made.etag)
  second.forget!(spec(upscaled(fox)))
  await vi.waitFor(async () => expect(await readdir(files.path)).toEqual(['.greenroom-cache']))
})

it('draws a picture that is wanted by many at once only once', async () => {
  await using media = openMedia()
  const wanted = await Promise.all(Array.from({ length: 20 }, () => media.picture(spec(upscaled(fox)))))
  expect(new Set(wanted.map(({ bytes }) => bytes)).size).toBe(1)
})

it('turns away who wants a picture after the end', async () => {
  const media = openMedia()
  await media.close()
  await expect(media.picture(spec(upscaled(fox)))).rejects.toThrow(
    /Failed to draw a picture: greenroom is closed/,
  )
})

// When a change of looks is meant, look at `node scripts/contact-sheets.js`, raise `pictureRecipe` in media-cache.ts, then write
// the new hashes here. Drawing goes through sharp, whose rounding may differ between processors.
it.runIf(process.platform === 'linux' && process.arch === 'x64').each([
  ['a grid', drawingOf(fox), '7bad243d5234c8a1'],
  ['a zoom', upscaled('neon city at night', { do: 'zoom', factor: 2, seed: 1 }), 'fdc3ca4ec91ece3c'],
  [
    'a repainted middle',
    upscaled('a cottage in the snow', { do: 'inpaint', prompt: 'a bear', seed: 1 }),
    '441311f64b2923c3',
  ],
  ['a wallpaper', drawingOf('a cat', [U1], { tile: true }), 'af3c72aa8f1c96be'],
])('draws the same pixels as ever: %s', async (_, drawing, hash) => {
  await using media = openMedia()
  expect(await fingerprint(await media.picture(spec(drawing)))).toBe(hash)
})

it.each(['', 'oil painting', 'watercolor', 'line art', 'pixel art', '3d', 'photo', 'anime'])(
  'keeps the files of everyday prompts small: singles below 150 kB, grids below 250 kB; style: "%s"',
  async (style) => {
    await using media = openMedia()
    const prompts = EVERYDAY_PROMPTS.filter((_, index) => index % (style === '' ? 2 : 12) === 1)
    for (const prompt of prompts) {
      const grid = drawingOf(`${prompt}, ${style}`, [], full)
      const single = { ...grid, edits: [U1] }
      expect((await media.picture(spec(single))).bytes.length, `single of ${prompt}`).toBeLessThan(150_000)
      expect((await media.picture(spec(grid))).bytes.length, `grid of ${prompt}`).toBeLessThan(250_000)
    }
  },
)

it.each([
  ['', 0],
  [', oil painting', 20],
  [', photo', 40],
])('keeps blends of two to five finished pictures below 400 kB%s, from prompt %i', async (style, start) => {
  await using media = openMedia()
  for (const count of [2, 3, 4, 5]) {
    const first = start + 5 * (count - 2)
    const drawings = Array.from({ length: count }, (_, index) =>
      drawingOf(EVERYDAY_PROMPTS[(first + index * 7) % 60]! + style, [U1], full),
    )
    const images = await Promise.all(
      drawings.map(async (drawing) => {
        const { bytes } = await media.picture(spec(drawing))
        return { ...(await media.receiveImage(bytes)), drawing }
      }),
    )
    const blend: Drawing = { base: { kind: 'blend', images, seed: first, ...full }, edits: [] }
    expect((await media.picture(spec(blend))).bytes.length, `from prompt ${first}`).toBeLessThan(400_000)
  }
})
