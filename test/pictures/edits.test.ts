import sharp from 'sharp'
import { expect, it } from 'vitest'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { grid, vary } from '../../src/pictures/edits/edits.ts'
import type { Scene } from '../../src/pictures/words/description.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { difference, rasterised } from './pixels.ts'

function scene(prompt: string): Scene {
  return sceneOf({ prompt, seed: '1', width: 1024, height: 1024 })
}

const zoomOut = ({ camera, ...rest }: Scene): Scene => ({
  ...rest,
  camera: { ...camera, width: camera.width * 2, height: camera.height * 2 },
})

it.each(['a fox in a forest', 'city skyline', 'abstract', 'a coffee cup'])(
  'a grid of %s has four pictures',
  (prompt) => {
    const drawings = grid(scene(prompt)).map((sibling) => sceneSvg(sibling))
    expect(new Set(drawings).size).toBe(4)
  },
)

it('siblings keep family, subjects and weather', () => {
  const parent = scene('a fox in a snowy forest')
  for (const { family, cast, weather } of grid(parent)) {
    expect({ family, cast, weather }).toEqual({ family: 'forest', cast: parent.cast, weather: 'snow' })
  }
})

it('a subtle variation keeps terrain and palette, a strong one changes them', () => {
  const parent = scene('a lighthouse')
  const subtle = vary(parent, { index: 2 })
  const strong = vary(parent, { index: 2, strong: true })
  expect(subtle.genes.terrain).toBe(parent.genes.terrain)
  expect(subtle.paletteIndex).toBe(parent.paletteIndex)
  expect(strong.genes.terrain).not.toBe(parent.genes.terrain)
  expect(strong.paletteIndex).not.toBe(parent.paletteIndex)
})

it('each variation is another picture', () => {
  const parent = scene('a lighthouse')
  const drawings = [0, 1, 2, 3].map((index) => sceneSvg(vary(parent, { index })))
  expect(new Set([sceneSvg(parent), ...drawings]).size).toBe(5)
})

it.each([
  'a cottage in the snow',
  'desert with pyramids',
  'lighthouse in a storm',
  'neon city at night',
  'a deer in a misty forest',
  'ringed planet in space',
  'bauhaus pattern',
  'red fox portrait',
])('zooming out of %s contains the parent', async (prompt) => {
  const parent = scene(prompt)
  const small = await rasterised(sceneSvg(parent, { width: 512, height: 512 }))
  const wide = await sharp(Buffer.from(sceneSvg(zoomOut(parent), { width: 1024, height: 1024 })))
    .removeAlpha()
    .extract({ left: 256, top: 256, width: 512, height: 512 })
    .raw()
    .toBuffer()
  expect(difference(small.bytes, wide, 8)).toBeLessThan(0.012)
})

it('zooming out ends where it would cost too much', () => {
  let far = scene('neon city at night in the rain')
  for (let i = 0; i < 20; i++) far = zoomOut(far)
  expect(sceneSvg(far).length).toBeLessThan(2_000_000)
})
