import { afterAll, expect, it } from 'vitest'
import { type Drawing, drawingOf, U1, upscaled } from '../pictures/drawings.ts'
import type { ClipSpec } from '../../src/media/spec.ts'
import { decode, meanColour, meanDifference, specOf } from './clips.ts'
import { flat, openMedia, part, raster, type Raster } from './open.ts'

const media = openMedia()
afterAll(() => media.close())

const fox = 'a fox in the hills'
function clipOf(drawing: Drawing, changes: Partial<ClipSpec> = {}): ClipSpec {
  const image = { picture: { kind: 'picture', drawing } as const }
  return specOf({ caption: false, seconds: 1, image, ...changes })
}

async function framesOf(spec: ClipSpec): Promise<Uint8Array[]> {
  return (await decode((await media.clip(spec)).bytes, spec)).frames
}

/** The middle of a square picture, in the shape of the clips. */
async function stillOf(drawing: Drawing, tile?: number): Promise<Raster> {
  const still = await raster(await media.picture({ kind: 'picture', drawing, ...(tile && { tile }) }))
  const height = Math.round((still.width * 9) / 16)
  const box = { left: 0, top: Math.round((still.height - height) / 2), width: still.width, height }
  return part(still, box, { width: 320, height: 180 })
}

it.each([
  ['a scene', upscaled(fox)],
  [
    'a scene that was zoomed',
    upscaled(fox, { do: 'zoom', factor: 1.5, seed: 1 }, { do: 'upscale', tile: 3 }),
  ],
  ['a repainted picture', upscaled(fox, { do: 'inpaint', prompt: 'a bear', seed: 1 }, U1)],
])('begins with the very picture: %s', async (_, drawing) => {
  const [first] = await framesOf(clipOf(drawing))
  expect(meanDifference(first!, (await stillOf(drawing)).data)).toBeLessThan(5)
})

it('sets the chosen tile of a grid in motion', async () => {
  const drawing = drawingOf(fox)
  const spec = clipOf(drawing)
  const [first] = await framesOf({ ...spec, image: { picture: { kind: 'picture', drawing, tile: 3 } } })
  expect(meanDifference(first!, (await stillOf(drawing, 3)).data)).toBeLessThan(6)
  expect(meanDifference(first!, (await stillOf(drawing, 1)).data)).toBeGreaterThan(15)
})

it('gives fast clips the colours of the picture', async () => {
  const night = upscaled('neon city at night')
  const day = upscaled('apricot dunes at dawn')
  const top = async (drawing: Drawing) => [
    ...(await framesOf(clipOf(drawing, { quality: 'fast' })))[0]!.subarray(0, 3),
  ]
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  expect(sum(await top(night))).toBeLessThan(200)
  expect(sum(await top(day))).toBeGreaterThan(300)
})

it('shows the picture in a fast clip when it is more than a scene', async () => {
  const image = await media.receiveImage(await flat('#2030d0', 320, 180))
  const sent: Drawing = { base: { kind: 'photo', image, width: 320, height: 180 }, edits: [] }
  const [first] = await framesOf(clipOf(sent, { quality: 'fast' }))
  const [red, green, blue] = meanColour(first!.subarray(0, 320 * 150 * 3))
  expect([red < 60, green < 80, blue > 180]).toEqual([true, true, true])
})
