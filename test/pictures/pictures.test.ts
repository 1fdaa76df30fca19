import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Drawing,
  type DrawingEdit,
  drawnSizeOf,
  tileSize,
} from '../../src/pictures/composition/drawing.ts'
import type { Picture } from '../../src/pictures/composition/picture.ts'
import { picturesOf } from '../../src/pictures/composition/pictures-of.ts'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { anyDrawing } from './any-drawing.ts'
import { drawingOf, photoNamed, U1, upscaled } from './drawings.ts'

const looks = (pictures: readonly Picture[]) => new Set(pictures.map((picture) => JSON.stringify(picture)))
const only = (drawing: Drawing): Picture => picturesOf(drawing)[0]!

it('gives four pictures for a grid, and one for a single', () => {
  expect(picturesOf(drawingOf('a fox'))).toHaveLength(4)
  expect(picturesOf(upscaled('a fox'))).toHaveLength(1)
  expect(picturesOf(drawingOf('a fox', [{ do: 'vary', tile: 3, strong: true, seed: 1 }]))).toHaveLength(4)
})

it('is as large as its base, its tiles half as wide and high, and twice as large when enlarged', () => {
  const grid = drawingOf('a fox', [], { width: 1456, height: 816 })
  expect(drawnSizeOf(grid)).toEqual({ width: 1456, height: 816 })
  expect(tileSize(drawnSizeOf(grid))).toEqual({ width: 728, height: 408 })
  const single = { ...grid, edits: [U1] }
  expect(drawnSizeOf(single)).toEqual({ width: 1456, height: 816 })
  const twice: DrawingEdit = { do: 'enlarge', creative: false, seed: 1 }
  expect(
    drawnSizeOf({ ...drawingOf('a fox', [], { width: 1024, height: 1024 }), edits: [U1, twice] }),
  ).toEqual({
    width: 2048,
    height: 2048,
  })
  expect(drawnSizeOf({ ...grid, edits: [U1, twice] })).toEqual({ width: 2048, height: 1148 })
})

it('shows exactly the tile when it is upscaled', () => {
  const grid = picturesOf(drawingOf('a fox'))
  for (const tile of [1, 2, 3, 4])
    expect(only(drawingOf('a fox', [{ do: 'upscale', tile }]))).toEqual(grid[tile - 1])
})

it('changes only details when it is enlarged creatively, and nothing otherwise', () => {
  const { world } = only(upscaled('a fox in the hills'))
  const plain = only(upscaled('a fox in the hills', { do: 'enlarge', creative: false, seed: 2 }))
  const creative = only(upscaled('a fox in the hills', { do: 'enlarge', creative: true, seed: 2 }))
  expect(plain.world).toEqual(world)
  const { detail, ...genes } = creative.world.genes
  expect(detail).not.toBe(world.genes.detail)
  expect({ ...genes, detail: world.genes.detail }).toEqual(world.genes)
})

it('makes the four less alike with chaos', () => {
  const spread = (chaos: number) => {
    const worlds = picturesOf(drawingOf('a fox in the hills', [], { chaos })).map(({ world }) => world)
    return new Set(
      worlds.map(({ palettes, paletteIndex, time, camera }) =>
        JSON.stringify([palettes[paletteIndex], time, camera.width]),
      ),
    ).size
  }
  expect(spread(0)).toBe(3)
  expect(spread(100)).toBe(4)
})

it.each([
  ['a fox in the snow', ['fox'], 'cast'],
  ['a fox in the snow', ['snow'], 'weather'],
  ['a fox at night', ['night'], 'time'],
  ['hills, teal', ['teal'], 'tint'],
] as const)('shows nothing of what must not be seen: %s without %s', (prompt, without, part) => {
  expect(only(upscaled(prompt)).world[part]).toBeDefined()
  expect(only(drawingOf(prompt, [U1], { without })).world[part]).toBeUndefined()
})

it('leaves out birds, clouds and trees where they are unwanted', () => {
  const all = sceneSvg(only(upscaled('green hills')).world)
  for (const thing of ['birds', 'clouds', 'trees', 'the sun']) {
    const less = sceneSvg(only(drawingOf('green hills', [U1], { without: [thing] })).world)
    expect(less.length, thing).toBeLessThan(all.length)
  }
})

it.each([false, true])('gives four variations that descend from their parent (strong: %s)', (strong) => {
  const parent = only(upscaled('a fox in the hills'))
  const children = picturesOf(upscaled('a fox in the hills', { do: 'vary', strong, seed: 1 }))
  expect(looks([parent, ...children]).size).toBe(5)
  for (const { world } of children) {
    expect(world).toMatchObject({ family: 'hills', cast: parent.world.cast, seed: parent.world.seed })
    if (!strong) expect(world.genes.terrain).toBe(parent.world.genes.terrain)
  }
})

it('reads subject, weather and hour again for a variation with another prompt, and keeps the land', () => {
  const parent = only(upscaled('a fox in the hills'))
  const [child] = picturesOf(
    upscaled('a fox in the hills', {
      do: 'vary',
      strong: false,
      seed: 1,
      prompt: 'a wolf in the rain at night',
    }),
  )
  expect(child!.world).toMatchObject({
    family: 'hills',
    cast: [{ icon: 'wolf' }],
    weather: 'rain',
    time: 'night',
  })
  expect(child!.world.genes.terrain).toBe(parent.world.genes.terrain)
})

const SEEDED: DrawingEdit[] = [
  { do: 'vary', strong: false, seed: 1 },
  { do: 'vary', strong: true, seed: 1 },
  { do: 'zoom', factor: 1.5, seed: 1 },
  { do: 'pan', towards: 'left', seed: 1 },
  { do: 'inpaint', prompt: 'a bear', seed: 1 },
  { do: 'enlarge', creative: true, seed: 1 },
]
it.each(SEEDED)('gives other pictures with another seed: $do', (edit) => {
  const one = picturesOf(upscaled('a fox in the hills', edit))
  const other = picturesOf(upscaled('a fox in the hills', { ...edit, seed: 2 } as DrawingEdit))
  expect(looks(one).size).toBe(one.length)
  expect(looks([...one, ...other]).size).toBe(one.length * 2)
})

it('grows by half towards a side, and moves on by half a frame once it is longer than three to one', () => {
  const right: DrawingEdit = { do: 'pan', towards: 'right', seed: 1 }
  const pans = (count: number) =>
    upscaled('hills', ...Array.from({ length: count }, () => [right, U1]).flat())
  expect(drawnSizeOf(pans(1))).toEqual({ width: 384, height: 256 })
  expect(drawnSizeOf(pans(2))).toEqual({ width: 576, height: 256 })
  expect(drawnSizeOf(pans(3))).toEqual(drawnSizeOf(pans(2)))
  expect(only(pans(1)).world.camera).toEqual({ x: 0.25, y: 0, width: 1.5, height: 1 })
  const [before, after] = [only(pans(2)).world.camera, only(pans(3)).world.camera]
  expect(after).toEqual({ ...before, x: before.x + before.width / 2 })
})

it('takes another shape when zooming, and holds what was seen', () => {
  const zoom: DrawingEdit = { do: 'zoom', factor: 1, ratio: 2, seed: 1 }
  const { width, height, world } = only(upscaled('hills', zoom))
  expect(width / height).toBeCloseTo(2, 1)
  expect(world.camera).toMatchObject({ width: 2, height: 1 })
})

it('lays a picture upon another world when it is zoomed out with another prompt, and only then', () => {
  const zoom = { do: 'zoom', factor: 2, seed: 1 } as const
  const zoomed = (prompt: string) => only(upscaled('a fox', { ...zoom, prompt }))
  expect(zoomed('a fox').patches).toEqual([])
  expect(zoomed('').patches).toEqual([])
  expect(zoomed('a fox in a forest at night')).toMatchObject({
    world: { family: 'forest', time: 'night' },
    patches: [{ of: { kind: 'picture', world: { cast: [{ icon: 'fox' }], family: 'emblem' } } }],
  })
})

it('lays a picture on a fresh world where its own would become too wide', () => {
  const zooms = [1, 2, 3].flatMap((seed): DrawingEdit[] => [{ do: 'zoom', factor: 2, seed }, U1])
  const { world, patches } = only(upscaled('hills', ...zooms))
  expect(world).toMatchObject({ family: 'hills', bare: true })
  expect(patches).toMatchObject([{ of: { kind: 'picture', world: { camera: { width: 4 } } } }])
})

it('makes four arrangements of two to five photos, with every one in each', () => {
  for (const count of [2, 3, 4, 5]) {
    const images = Array.from({ length: count }, (_, i) => photoNamed(`photo-${i}`))
    const pictures = picturesOf({
      base: { kind: 'blend', images, seed: 1, width: 256, height: 256 },
      edits: [],
    })
    expect(looks(pictures).size).toBe(4)
    for (const { patches } of pictures) {
      const urls = patches.map(({ of }) => (of.kind === 'photo' ? of.photo.url : ''))
      expect(new Set(urls)).toEqual(new Set(images.map(({ url }) => url)))
    }
  }
})

it('draws what a prompt asks for into a photo', () => {
  const base = { kind: 'edit', image: photoNamed('garden'), seed: 1, width: 256, height: 256 } as const
  const pictures = picturesOf({ base: { ...base, prompt: 'a red fox in the snow' }, edits: [] })
  expect(looks(pictures).size).toBe(4)
  for (const { patches } of pictures) {
    expect(patches.map(({ of }) => (of.kind === 'overlay' ? of.shows : of.kind))).toEqual([
      'photo',
      'subject',
      'weather',
    ])
  }
})

it('shows image prompts larger the more they weigh, and not at all at weight 0', () => {
  const images = [photoNamed('fox')]
  const width = (imageWeight: number) =>
    only(drawingOf('hills', [U1], { images, imageWeight })).patches[0]?.place.width
  expect(width(0)).toBeUndefined()
  expect(width(3)!).toBeGreaterThan(width(1)!)
})

it('survives JSON', () => {
  const drawing = upscaled('a fox', { do: 'zoom', factor: 2, seed: 1, prompt: 'a sea' })
  const pictures = picturesOf(drawing)
  expect(JSON.parse(JSON.stringify(pictures))).toEqual(pictures)
})

it('interprets any chain of edits, with bounded size, which is known without drawing it', () => {
  fc.assert(
    fc.property(anyDrawing, (drawing) => {
      const pictures = picturesOf(drawing)
      expect([1, 4]).toContain(pictures.length)
      const { width, height } = drawnSizeOf(drawing)
      for (const picture of pictures) expect([picture.width, picture.height]).toEqual([width, height])
      for (const side of [width, height]) {
        expect(side % 2).toBe(0)
        expect(side).toBeGreaterThanOrEqual(16)
        expect(side).toBeLessThanOrEqual(2048)
      }
    }),
    { numRuns: 80 },
  )
})
