import { expect, it } from 'vitest'
import { refuseAsDamaged, type Raster, type Size } from '../../../src/media/raster/raster.ts'
import { ReceivedPictures } from '../../../src/media/received/received-pictures.ts'

const png = (last: number): Uint8Array =>
  Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, last])
const noticed = 'The image takes more than 20 s to read. Send a smaller one, or save it in another way.'

/** Pictures whose last byte is their size in megapixels. The large ones are never read to the end. */
function openPictures(): { pictures: ReceivedPictures; started: number[] } {
  const started: number[] = []
  const measure = async (bytes: Uint8Array): Promise<Size> => ({
    width: 1_000,
    height: 1_000 * bytes.at(-1)!,
  })
  const raster = {
    measure,
    decode: async (bytes: Uint8Array) => {
      started.push(bytes.at(-1)!)
      if (bytes.at(-1)! > 4) await new Promise(() => {})
      return { file: bytes, ...(await measure(bytes)) }
    },
    stretch: async () => ({ data: new Uint8Array(3), width: 1, height: 1, channels: 3 }),
  } as unknown as Raster
  return { pictures: new ReceivedPictures({ raster, limits: { bytes: 100, pixels: 40_000_000 } }), started }
}

it('reads small pictures while large ones take long, and one large one at a time', async () => {
  const { pictures, started } = openPictures()
  for (const megapixels of [40, 39, 38]) void pictures.receive(png(megapixels))
  expect(await pictures.receive(png(1))).toMatchObject({ width: 1_000, height: 1_000 })
  expect(await pictures.receive(png(2))).toMatchObject({ height: 2_000 })
  expect(started).toEqual([40, 1, 2])
})

it('says of a picture that takes too long to read that it does, and not that it is damaged', () => {
  const late = new Error('timeout: 45% complete\n')
  expect(() => refuseAsDamaged(late)).toThrow(noticed)
  const damaged = new Error('pngload_buffer: end of stream')
  expect(() => refuseAsDamaged(damaged)).toThrow('The image is damaged or cut off')
})
