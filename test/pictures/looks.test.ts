import { expect, it } from 'vitest'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import type { Scene } from '../../src/pictures/words/description.ts'
import { difference, rasterised, type Pixels } from './pixels.ts'

const size = { width: 200, height: 200 }

async function draw(scene: Scene, time = 0): Promise<Pixels> {
  return rasterised(sceneSvg(scene, { time }))
}

const scene = (prompt: string, model = '7'): Scene => sceneOf({ prompt, model, seed: '1', ...size })

it.each([
  ['oil', 'an oil painting of a fox', '油画，狐狸'],
  ['watercolour', 'a fox, watercolor', 'ein Fuchs, Aquarell'],
  ['line', 'a fox, line art', '狐狸，线稿'],
  ['pixel', 'a fox, pixel art', '8-bit fox'],
  ['3d', 'a fox, 3D render', 'clay fox'],
  ['anime', 'anime fox', 'manga fox'],
  ['photo', 'photo of a fox', 'a fox, 35mm, bokeh'],
])('%s is a style that words ask for', (style, ...prompts) => {
  for (const prompt of prompts) expect(scene(prompt)).toMatchObject({ style })
})

it('every style looks different from every other', async () => {
  const plain = scene('a fox in the forest')
  const styles = [undefined, 'oil', 'watercolour', 'line', 'pixel', '3d', 'anime', 'photo'] as const
  const pictures = await Promise.all(styles.map((style) => draw({ ...plain, ...(style && { style }) })))
  for (const [i, one] of pictures.entries())
    for (const other of pictures.slice(i + 1))
      expect(difference(one.bytes, other.bytes, 8)).toBeGreaterThan(0.008)
})

it('niji and the versions of the model have looks of their own', async () => {
  const { style, grade, ...latest } = scene('a fox in the forest')
  expect([style, grade]).toEqual([undefined, undefined])
  const looks = await Promise.all(
    ['3', '4', '5.2', '6', 'niji 6'].map((model) => {
      const { style: drawn, grade: graded } = scene('a fox in the forest', model)
      return draw({ ...latest, ...(drawn && { style: drawn }), ...(graded && { grade: graded }) })
    }),
  )
  const plain = await draw(latest)
  for (const [i, one] of looks.entries())
    for (const other of [plain, ...looks.slice(i + 1)])
      expect(difference(one.bytes, other.bytes, 8)).toBeGreaterThan(0.02)
})

/** The middle of all pixels that a test of their colour finds, in parts of the frame. */
function middleOf(
  { bytes, width, height }: Pixels,
  isOfSubject: (colour: number[]) => boolean,
): { x: number; y: number } {
  let [x, y, count] = [0, 0, 0]
  for (let index = 0; index < width * height; index++) {
    if (!isOfSubject([...bytes.subarray(index * 3, index * 3 + 3)])) continue
    x += index % width
    y += Math.floor(index / width)
    count += 1
  }
  expect(count).toBeGreaterThan(20)
  return { x: x / count / width, y: y / count / height }
}

const isRed = ([red = 0, green = 0, blue = 0]: number[]): boolean => red > 150 && green < 90 && blue < 90

/** How far the red subject of a prompt moves over a clip. */
async function wayOf(prompt: string): Promise<{ x: number; y: number }> {
  const read = scene(prompt)
  const [start, end] = await Promise.all([draw(read, 0), draw(read, 1)])
  const [from, to] = [middleOf(start, isRed), middleOf(end, isRed)]
  return { x: to.x - from.x, y: to.y - from.y }
}

it('what drives, drives forward', async () => {
  expect((await wayOf('a red car in the city')).x).toBeGreaterThan(0.2)
})

it('a bird flies on', async () => {
  expect((await wayOf('a red parrot flying over the snow')).x).toBeGreaterThan(0.15)
})

it('a balloon rises', async () => {
  const { x, y } = await wayOf('a red hot air balloon over snowy mountains')
  expect(y).toBeLessThan(-0.05)
  expect(Math.abs(x)).toBeLessThan(0.05)
})

it('who walks, walks on, and who runs gets further', async () => {
  const walk = (await wayOf('a man in a red shirt walking in the snow')).x
  const run = (await wayOf('a man in a red shirt running in the snow')).x
  expect(walk).toBeGreaterThan(0.1)
  expect(run).toBeGreaterThan(walk + 0.05)
})

it('a boat rocks to both sides', () => {
  const turns = Array.from({ length: 12 }, (_, frame) => {
    const svg = sceneSvg(scene('a sailboat on the sea'), { time: frame / 12 })
    return Number(/class="cast">.*?rotate\((-?[\d.]+)\)/.exec(svg)?.[1] ?? 0)
  })
  const steps = turns.slice(1).map((turn, index) => turn - turns[index]!)
  expect(Math.min(...steps)).toBeLessThan(-0.5)
  expect(Math.max(...steps)).toBeGreaterThan(0.5)
})

it.each([
  ['zoom in', 'in'],
  ['the camera slowly zooms out', 'out'],
  ['camera pans left', 'left'],
  ['pan to the right', 'right'],
  ['tilt up', 'up'],
  ['镜头推近', 'in'],
])('%s moves the camera %s', (words, move) => {
  expect(scene(`a castle on a hill, ${words}`)).toMatchObject({ move, cast: [{ icon: 'castle' }] })
})

it('zooming in makes the subject larger, panning left moves it right', async () => {
  const still = await draw(scene('a red square'))
  const isSquare = isRed
  const area = ({ bytes, width, height }: Pixels): number =>
    Array.from({ length: width * height }, (_, i) => isSquare([...bytes.subarray(i * 3, i * 3 + 3)])).filter(
      Boolean,
    ).length
  const read = scene('a red square')
  const nearer = await draw({ ...read, move: 'in' }, 1)
  expect(area(nearer)).toBeGreaterThan(area(still) * 1.4)
  const left = await draw({ ...read, move: 'left' }, 0.5)
  expect(middleOf(left, isRed).x).toBeGreaterThan(middleOf(still, isRed).x + 0.1)
})
