import { expect, it } from 'vitest'
import { drawFrames } from '../../src/media/encode/drawn-frames.ts'
import { sharpRaster } from '../../src/media/raster/sharp-raster.ts'
import { yuv420 } from '../../src/media/h264/yuv.ts'
import { sceneFrameSvg } from '../pictures/scene-frames.ts'
import { specOf } from './clips.ts'

it.each([
  [640, 360, 'a paper boat in the rain'],
  [322, 182, 'neon city at night, 雨夜的城市'],
  [270, 480, 'a whale at dusk, described at such a length that its line ends before it does'],
  [64, 64, 'too small for a caption'],
])('draws frames of %d x %d exactly like single images with a caption: %s', async (width, height, prompt) => {
  const spec = specOf({ width, height, prompt, seconds: 1, framesPerSecond: 3 })

  let frame = 0
  for await (const drawn of drawFrames(spec)) {
    const svg = sceneFrameSvg(spec, frame / 3)
    expect(Buffer.compare(drawn, yuv420(await sharpRaster.draw(svg, 4)))).toBe(0)
    frame += 1
  }

  expect(frame).toBe(3)
})

it('draws frames without a caption if the spec has none', async () => {
  const spec = specOf({ caption: false, seconds: 1, framesPerSecond: 1 })
  const svg = sceneFrameSvg(spec)

  const { value } = await drawFrames(spec).next()

  expect(Buffer.compare(value!, yuv420(await sharpRaster.draw(svg, 4)))).toBe(0)
})
