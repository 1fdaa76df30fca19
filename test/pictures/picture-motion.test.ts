import sharp from 'sharp'
import { expect, it } from 'vitest'
import { pictureSvg } from '../../src/pictures/composition/picture-motion.ts'
import { difference, rasterised } from './pixels.ts'

const pictures = await Promise.all(
  [
    { width: 300, height: 100 },
    { width: 90, height: 200 },
    { width: 128, height: 72 },
  ].map(async ({ width, height }) => {
    // The same grain in every run: shades of grey, none of them near the magenta behind.
    const grain = Uint8Array.from({ length: width * height }, (_, index) => 98 + ((index * 7919) % 61))
    const png = await sharp(grain, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer()
    return {
      href: `data:image/png;base64,${png.toString('base64')}`,
      pictureWidth: width,
      pictureHeight: height,
    }
  }),
)
const frame = { width: 320, height: 180 }

it('never shows a border, whatever the shape of picture and frame', async () => {
  for (const picture of pictures) {
    for (const seed of ['a', 'b', 'c']) {
      for (const time of [0.33, 1]) {
        const drawn = await rasterised(pictureSvg({ ...picture, ...frame, seed, time }))
        for (const x of [0, 160, 319]) {
          for (const y of [0, 90, 179]) {
            const [red, green, blue] = drawn.at(x, y)
            // Grey noise all over: magenta from behind would part green from the others.
            expect(Math.abs((red + blue) / 2 - green), `${seed} ${time} ${x},${y}`).toBeLessThan(90)
          }
        }
      }
    }
  }
})

it('begins with the picture in the middle, whatever the seed', () => {
  const [picture] = pictures
  const starts = ['a', 'b', 'c'].map((seed) => pictureSvg({ ...picture!, ...frame, seed, time: 0 }))
  expect(new Set(starts).size).toBe(1)
})

it('moves, towards a side that the seed chooses', async () => {
  const picture = pictures[2]!
  const ends = Array.from({ length: 20 }, (_, i) =>
    pictureSvg({ ...picture, ...frame, seed: String(i), time: 1 }),
  )
  expect(new Set(ends).size).toBe(8)
  const [start, end] = await Promise.all(
    [0, 1].map((time) => rasterised(pictureSvg({ ...picture, ...frame, seed: 'a', time }))),
  )
  expect(difference(start!.bytes, end!.bytes, 8)).toBeGreaterThan(0.1)
})

it('lays the overlay over the picture', async () => {
  const overlay = '<rect width="20" height="20" fill="#00ff00"/>'
  const drawn = await rasterised(pictureSvg({ ...pictures[0]!, ...frame, seed: 'a', time: 0.5, overlay }))
  expect(drawn.at(10, 10)).toEqual([0, 255, 0])
})
