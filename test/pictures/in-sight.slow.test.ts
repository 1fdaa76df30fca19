import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { rasterised } from './pixels.ts'

const PLACES = [
  'hills',
  'desert',
  'sea',
  'neon city',
  'misty forest',
  'space',
  'bauhaus pattern',
  'kandinsky',
]
const MOODS = ['', 'in the rain', 'in the snow', 'on a windy day', 'at night', 'in the fog', 'at dusk']

it('leaves out nothing that is seen', async () => {
  vi.resetModules()
  vi.doMock('../../src/pictures/places/view.ts', async (original) => ({
    ...(await original<object>()),
    isInSight: () => true,
  }))
  const { sceneSvg: uncutSvg } = await import('../../src/pictures/composition/draw.ts')
  let leftOut = 0
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.constantFrom(...PLACES, 'a fox'), fc.constantFrom(...MOODS)),
      fc.constantFrom('emblem', 'wallpaper', undefined),
      fc.constantFrom([160, 90], [64, 64], [48, 120]),
      fc.record({ time: fc.double({ min: 0, max: 2, noNaN: true }), seed: fc.nat().map(String) }),
      fc.record({ x: fc.constantFrom(0, 0.3), width: fc.constantFrom(1, 0.6, 1.5) }),
      async ([place, mood], family, [width, height], { time, seed }, { x, width: part }) => {
        const read = sceneOf({ prompt: `${place} ${mood}`, seed, width: width!, height: height! })
        const camera = { x, y: x / 2, width: part, height: part }
        const scene = { ...read, camera, ...(place === 'a fox' && family && { family }) }
        const [drawn, uncut] = [sceneSvg(scene, { time }), uncutSvg(scene, { time })]
        if (drawn.length < uncut.length) leftOut += 1
        const [actual, expected] = await Promise.all([rasterised(drawn), rasterised(uncut)])
        expect(Buffer.compare(actual.bytes, expected.bytes)).toBe(0)
      },
    ),
    { numRuns: 150 },
  )
  expect(leftOut).toBeGreaterThan(75)
})
