import { nextTurn } from '../in-order.ts'
import { macroblocksOf, pictureParameters, sequenceParameters } from './headers.ts'
import { keyPicture, type Mosaic, repeatedPicture } from './picture.ts'
import { mp4 } from './mp4.ts'
import type { Raster } from '../raster/raster.ts'
import type { ClipSpec } from '../spec.ts'
import { taskColours } from '../raster/task-colours.ts'
import { type DrawSecond, progressStrip, tilePattern } from '../raster/tile-pattern.ts'
import { yuv420 } from './yuv.ts'

/**
 * A `fast` clip: a new coarse picture every second, repeated until the next. It is H.264 like any other, but of
 * so simple a kind that we write it ourselves: no encoder is loaded, and the bytes are the same everywhere.
 * @param tools.picture the received picture, when there is one.
 */
export async function tiledClip(
  spec: ClipSpec,
  { raster, picture }: { raster: Raster; picture: Uint8Array | undefined },
): Promise<Uint8Array> {
  const { columns, rows } = macroblocksOf(spec)
  const colours = taskColours(spec)
  const draw = picture ? await movingPicture(spec, raster, picture) : tilePattern(spec, colours)
  // Two tasks may be sent the same picture: the strip still tells them apart.
  const drawStrip = progressStrip(spec, colours)
  const repeated = Array.from({ length: spec.framesPerSecond - 1 }, (_, index) => ({
    units: [repeatedPicture({ columns, rows, frameNumber: index + 1 })],
    key: false,
  }))

  const pictures = []
  for (let second = 0; second < spec.seconds; second += 1) {
    const tiles = { rgb: new Uint8Array(48 * columns * rows), width: 4 * columns, height: 4 * rows }
    draw(second, tiles)
    drawStrip(second, tiles)
    const mosaic = mosaicFromRgb({ rgb: tiles.rgb, columns, rows })
    pictures.push({ units: [keyPicture(mosaic, second % 2)], key: true }, ...repeated)
    await nextTurn()
  }
  const stream = {
    sequenceParameters: sequenceParameters(spec),
    pictureParameters: pictureParameters(),
    pictures,
  }
  return mp4({ ...spec, stream })
}

/** The picture fills the frame, and the camera goes from its middle towards the lower right. */
async function movingPicture(spec: ClipSpec, raster: Raster, picture: Uint8Array): Promise<DrawSecond> {
  const { columns, rows } = macroblocksOf(spec)
  const size = { width: Math.ceil(4 * columns * room), height: Math.ceil(4 * rows * room) }
  const { data, width, height } = await raster.photo(picture, size)
  return (second, tiles) => {
    const share = 0.5 + second / spec.seconds / 2
    const left = Math.round((width - tiles.width) * share)
    const top = Math.round((height - tiles.height) * share)
    for (let y = 0; y < tiles.height; y += 1) {
      const start = ((top + y) * width + left) * 3
      tiles.rgb.set(data.subarray(start, start + tiles.width * 3), y * tiles.width * 3)
    }
  }
}

/** How much larger than the frame the picture is. */
const room = 1.12

/**
 * Makes a mosaic of a small picture with one pixel for each of its finest tiles.
 * @param options.rgb 4 * columns wide and 4 * rows high, three bytes a pixel.
 */
export function mosaicFromRgb(options: { rgb: Uint8Array; columns: number; rows: number }): Mosaic {
  const { rgb, columns, rows } = options
  const tiles = 16 * columns * rows
  const yuv = yuv420({ data: rgb, width: 4 * columns, height: 4 * rows, channels: 3 })
  return {
    columns,
    rows,
    brightness: yuv.subarray(0, tiles),
    blue: yuv.subarray(tiles, tiles * 1.25),
    red: yuv.subarray(tiles * 1.25),
  }
}
