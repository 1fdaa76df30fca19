import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Colour, nameOfColour, luminance } from '../../src/pictures/places/colour.ts'
import { describePhoto } from '../../src/pictures/words/photo-prompts.ts'
import { paletteIn, photoScene } from '../../src/pictures/edits/photo-scene.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { photoNamed } from './drawings.ts'

const photo = {
  width: 1920,
  height: 1080,
  colours: ['#1c3f7a', '#f2efe6', '#d98a2b'] as Colour[],
  digest: 'ab12',
}

it('describes a photo in four prompts that name its colours and its shape', () => {
  const prompts = describePhoto(photo, 1)
  expect(new Set(prompts).size).toBe(4)
  for (const prompt of prompts) {
    expect(prompt).toMatch(/ --ar 16:9$/)
    expect(prompt).toMatch(/deep blue|white|orange/)
    expect(prompt).not.toMatch(/undefined|, ,|\s{2}/)
  }
  expect(describePhoto(photo, 1)).toEqual(prompts)
  expect(describePhoto(photo, 2)).not.toEqual(prompts)
  expect(describePhoto({ ...photo, digest: 'cd34' }, 1)).not.toEqual(prompts)
})

it.each([
  [1024, 1024, '1:1'],
  [1920, 1080, '16:9'],
  [3000, 2000, '3:2'],
  [768, 1024, '3:4'],
  [1456, 816, '16:9'],
  [1000, 999, '1:1'],
  [10_000, 1, '21:1'],
])('writes the shape of %d x %d as %s', (width, height, shape) => {
  for (const prompt of describePhoto({ ...photo, width, height }, 1))
    expect(prompt).toContain(` --ar ${shape}`)
})

it('describes any picture in four prompts', () => {
  const colour = fc
    .integer({ min: 0, max: 0xffffff })
    .map((n): Colour => `#${n.toString(16).padStart(6, '0')}`)
  const side = fc.integer({ min: 1, max: 20_000 })
  const any = fc.record({
    width: side,
    height: side,
    colours: fc.array(colour, { maxLength: 5 }),
    digest: fc.string(),
  })
  fc.assert(
    fc.property(any, fc.nat(), (described, seed) => {
      const prompts = describePhoto(described, seed)
      expect(new Set(prompts).size).toBe(4)
      for (const prompt of prompts) expect(prompt).toMatch(/^[a-z0-9 ,-]+ --ar \d+:\d+$/)
    }),
  )
})

it.each([
  ['#000000', 'black'],
  ['#ffffff', 'white'],
  ['#808080', 'grey'],
  ['#d8392f', 'red'],
  ['#1c3f7a', 'deep blue'],
  ['#f2b8c6', 'pale pink'],
  ['#2aa198', 'teal'],
  ['#8a5a3c', 'brown'],
  ['#e6d9b8', 'cream'],
  ['#3f9b57', 'green'],
  ['#f4c437', 'yellow'],
] as const)('calls %s %s', (colour, name) => {
  expect(nameOfColour(colour)).toBe(name)
})

it('makes a palette of the colours of a photo', () => {
  const { skyTop, ink } = paletteIn(['#1c3f7a', '#dfe8f2'])
  expect(luminance(skyTop)).toBeGreaterThan(luminance(ink))
})

it('surrounds a photo with land, without a sun or a subject of its own', () => {
  const scene = photoScene([photoNamed('fox')], { width: 300, height: 200 })
  expect(scene).toMatchObject({ bare: true, family: 'sea' })
  expect(scene.cast).toBeUndefined()
})

it('keeps a world as it is when it is seen again by the prompt it had', () => {
  expect(sceneOf({ prompt: 'a fox', width: 10, height: 10, without: [] })).toEqual(
    sceneOf({ prompt: 'a fox', width: 10, height: 10 }),
  )
})
