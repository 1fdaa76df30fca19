import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Drawing, type DrawingEdit, picturesOf } from '../pictures/drawings.ts'
import { drawPicture, pictureFile } from '../../src/media/raster/drawn-picture.ts'
import { sharpRaster } from '../../src/media/raster/sharp-raster.ts'
import { anyDrawing } from '../pictures/any-drawing.ts'
import { meanDifference } from './clips.ts'
import { part } from './open.ts'

const none = { raster: sharpRaster, ingredients: new Map<string, Uint8Array>() }

it('draws any chain of edits, in bounded time', async () => {
  await fc.assert(
    fc.asyncProperty(anyDrawing, async (drawing) => {
      const began = performance.now()
      const png = await pictureFile({ kind: 'picture', drawing, maxSide: 300 }, none)
      expect([...png.subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
      expect(performance.now() - began).toBeLessThan(10_000)
    }),
    { numRuns: 40, endOnFailure: true },
  )
}, 120_000)

it('holds the picture wherever a chain of edits ends in a zoom or a pan that grows', async () => {
  const last = fc.oneof(
    fc.record({ do: fc.constant('zoom' as const), factor: fc.constantFrom(1.25, 1.5, 2), seed: fc.nat() }),
    fc.record({
      do: fc.constant('pan' as const),
      towards: fc.constantFrom('left' as const, 'up' as const),
      seed: fc.nat(),
    }),
  )
  await fc.assert(
    fc.asyncProperty(anyDrawing, last, async (start, edit) => {
      const drawing: Drawing = { ...start, edits: [...start.edits, { do: 'upscale', tile: 1 }] }
      const inside = lookedAt(drawing)
      const around = lookedAt({ ...drawing, edits: [...drawing.edits, edit as DrawingEdit] })
      const isMovedOn = edit.do === 'pan' && Math.abs(around.shape / inside.shape - 1) < 0.2
      fc.pre(!isMovedOn && inside.shape < 8 && inside.shape > 1 / 8)

      const wide = { width: edit.do === 'zoom' ? edit.factor : edit.towards === 'left' ? 1.5 : 1, height: 0 }
      const high = edit.do === 'zoom' ? edit.factor : edit.towards === 'up' ? 1.5 : 1
      const [width, height] = [160, 160]
      const small = await drawPicture(inside.picture, { width, height }, none)
      const size = { width: Math.round(width * wide.width), height: Math.round(height * high) }
      const large = await drawPicture(around.picture, size, none)
      const left = edit.do === 'zoom' ? Math.round((size.width - width) / 2) : size.width - width
      const top = edit.do === 'zoom' ? Math.round((size.height - height) / 2) : size.height - height
      // Without the thin rim that is feathered where the picture lies on another world.
      const rim = 12
      const middle = { left: rim, top: rim, width: width - 2 * rim, height: height - 2 * rim }
      const same = await part(large, { ...middle, left: left + rim, top: top + rim })
      expect(meanDifference(same.data, (await part(small, middle)).data)).toBeLessThan(6)
    }),
    { numRuns: 40, endOnFailure: true },
  )
}, 240_000)

function lookedAt(drawing: Drawing) {
  const picture = picturesOf(drawing)[0]!
  return { picture, shape: picture.width / picture.height }
}
