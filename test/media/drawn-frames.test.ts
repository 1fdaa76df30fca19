import { expect, it } from 'vitest'
import { drawFrames } from '../../src/media/encode/drawn-frames.ts'
import { sharpRaster } from '../../src/media/raster/sharp-raster.ts'
import { yuv420 } from '../../src/media/h264/yuv.ts'
import { captionSvg } from '../../src/pictures/caption/caption.ts'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { specOf } from './clips.ts'

it.each([
  [640, 360, 'a paper boat in the rain'],
  [322, 182, 'neon city at night, 雨夜的城市'],
  [270, 480, 'a whale at dusk, described at such a length that its line ends before it does'],
  [64, 64, 'too small for a caption'],
])(
  'draws frames of %d x %d as if each were drawn with its whole caption: %s',
  async (width, height, prompt) => {
    const spec = specOf({ width, height, prompt, seconds: 1, framesPerSecond: 3 })
    const scene = sceneOf(spec)

    let frame = 0
    for await (const drawn of drawFrames(spec)) {
      const overlay = captionSvg({ ...spec, timeMs: (frame * 1000) / 3 })
      const svg = sceneSvg(scene, { time: frame / 3, width, height, overlay })
      expect(Buffer.compare(drawn, yuv420(await sharpRaster.draw(svg, 4)))).toBe(0)
      frame += 1
    }

    expect(frame).toBe(3)
  },
)

it('draws frames without a caption where none is wanted', async () => {
  const spec = specOf({ caption: false, seconds: 1, framesPerSecond: 1 })
  const svg = sceneSvg(sceneOf(spec), { width: spec.width, height: spec.height })

  const { value } = await drawFrames(spec).next()

  expect(Buffer.compare(value!, yuv420(await sharpRaster.draw(svg, 4)))).toBe(0)
})
