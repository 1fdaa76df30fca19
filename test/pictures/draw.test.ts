import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { fnv1a } from '../../src/engine/random/hash.ts'
import type { Scene } from '../../src/pictures/words/description.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { difference, rasterised } from './pixels.ts'
import { codePoint } from '../support/arbitraries.ts'

/** One of each family, and each weather. */
const PROMPTS = [
  'a cottage in the snow',
  'desert with pyramids',
  'lighthouse in a storm',
  'neon city at night',
  'a deer in a misty forest at dawn',
  'astronaut in space',
  'bauhaus pattern',
  'kandinsky circles, abstract',
  'abstract waves',
  'red fox portrait',
  'a windy meadow',
  'paper boat in the rain',
]

function scene(prompt: string, width = 1024, height = 1024): Scene {
  return sceneOf({ prompt, seed: '1', width, height })
}

// When a change of looks is meant, look at `node scripts/contact-sheets.js`, then write the new hashes here.
it.each([
  ['a cottage in the snow', 0, '3f967396'],
  ['neon city at night', 0, 'fead68d3'],
  ['red fox portrait', 0, 'dff4d166'],
  ['a sailboat at sunset', 0.5, 'eef4f467'],
  ['astronaut in space', 1, '1c92c012'],
])('the drawing of %s at %d is the same on every machine', (prompt, time, hash) => {
  expect(fnv1a(sceneSvg(scene(prompt), { time })).toString(16)).toBe(hash)
})

it('two prompts give two pictures', () => {
  const drawings = PROMPTS.map((prompt) => sceneSvg(scene(prompt)))
  expect(new Set(drawings).size).toBe(PROMPTS.length)
})

it.each(PROMPTS)('time 0 is the still of: %s', (prompt) => {
  expect(sceneSvg(scene(prompt), { time: 0 })).toBe(sceneSvg(scene(prompt)))
})

it.each(PROMPTS)('time moves: %s', async (prompt) => {
  const [start, end] = await Promise.all(
    [0, 1].map((time) => rasterised(sceneSvg(scene(prompt), { time, width: 160, height: 160 }))),
  )
  expect(difference(start!.bytes, end!.bytes, 8)).toBeGreaterThan(0.01)
})

it.each(PROMPTS)('no frame has a hole at any edge: %s', async (prompt) => {
  for (const time of [0, 0.5, 1]) {
    const picture = await rasterised(sceneSvg(scene(prompt, 320, 180), { time }))
    for (let x = 0; x < 320; x += 5) expectPainted(picture.at(x, 0), picture.at(x, 179))
    for (let y = 0; y < 180; y += 5) expectPainted(picture.at(0, y), picture.at(319, y))
  }
})

function expectPainted(...pixels: [number, number, number][]) {
  for (const pixel of pixels) expect(pixel).not.toEqual([255, 0, 255])
}

it('a draft is smaller than the whole picture', () => {
  const city = scene('neon city at night')
  expect(sceneSvg(city, { fast: true }).length).toBeLessThan(sceneSvg(city).length)
})

it('an overlay is laid over the scene in output pixels', async () => {
  const overlay = '<rect x="0" y="20" width="10" height="10" fill="#00ff00"/>'
  const picture = await rasterised(sceneSvg(scene('a fox'), { width: 64, height: 32, overlay }))
  expect([picture.width, picture.height]).toEqual([64, 32])
  expect(picture.at(5, 25)).toEqual([0, 255, 0])
})

it('text of a prompt never reaches the SVG', () => {
  const markup = `fox</svg><script>alert(1)</script> ':;[]\\%{}<>&" ]]> <!--`
  const svg = sceneSvg(scene(markup))
  expect(svg).not.toMatch(/script|alert|<!--|]]>|&/)
})

it('hostile prompts give well-formed SVG of known elements only', async () => {
  const element =
    /<\/?(svg|g|path|circle|ellipse|rect|linearGradient|stop|clipPath|use)( [a-zA-Z0-9-]+="[^"<>&]*")*\/?>/g
  const hostile = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.stringMatching(/^[':;[\]\\%{}<>&"=/!-]+ (fox|sea|storm|neon city|desert)$/),
  )
  const drawn: string[] = []
  fc.assert(
    fc.property(hostile, (prompt) => {
      const svg = sceneSvg(scene(prompt))
      expect(svg.replace(element, '')).toBe('')
      expect(svg).not.toMatch(/NaN|undefined|Infinity/)
      drawn.push(svg)
    }),
  )
  for (const svg of drawn.slice(0, 8))
    await rasterised(svg.replace(/width="1024" height="1024"/, 'width="64" height="64"'))
})

it.each([
  [16, 16],
  [16, 4096],
  [4096, 16],
  [4096, 4096],
  [17, 1001],
])('a frame of %d x %d is drawn within bounds', async (width, height) => {
  for (const prompt of PROMPTS) {
    const svg = sceneSvg(scene(prompt, width, height))
    expect(svg.length).toBeLessThan(200_000)
    expect(svg).not.toMatch(/NaN|Infinity/)
  }
  const picture = await rasterised(sceneSvg(scene('a fox in a forest', width, height)))
  expect([picture.width, picture.height]).toEqual([width, height])
})
