import { expect, it } from 'vitest'
import { mosaicFromRgb } from '../../src/media/h264/tiled-clip.ts'
import { macroblocksOf, pictureParameters, sequenceParameters } from '../../src/media/h264/headers.ts'
import { brightnessLevels, colourLevels } from '../../src/media/h264/coefficients.ts'
import { MosaicEncoder, repeatedPicture } from '../../src/media/h264/picture.ts'
import { mp4 } from '../../src/media/h264/mp4.ts'
import { boxesOf, decode } from './clips.ts'

/** A different pseudo-random picture of tiles for each second; `contrast` 0..1. */
function noise(tiles: number, second: number, contrast: number): Uint8Array {
  let state = 12_345 + second
  return Uint8Array.from({ length: tiles * 3 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return 128 + Math.round(((state >>> 16) / 65_536 - 0.5) * 255 * contrast)
  })
}

for (const [name, contrast] of [
  ['flat', 0],
  ['faint', 0.02],
  ['soft', 0.2],
  ['harsh', 1],
] as const) {
  it(`writes ${name} pictures that a decoder shows as they were meant`, async () => {
    const shape = { width: 150, height: 84, framesPerSecond: 3 }
    const { columns, rows } = macroblocksOf(shape)
    const seconds = [0, 1].map((second) => noise(16 * columns * rows, second, contrast))
    const mosaics = seconds.map((rgb) => mosaicFromRgb({ rgb, columns, rows }))
    const encoder = new MosaicEncoder({ columns, rows })
    const pictures = mosaics.flatMap((mosaic, second) => [
      { units: [encoder.keyPicture(mosaic, second % 2)], key: true },
      ...[1, 2].map((frameNumber) => ({
        units: [repeatedPicture({ columns, rows, frameNumber })],
        key: false,
      })),
    ])
    const stream = {
      sequenceParameters: sequenceParameters(shape),
      pictureParameters: pictureParameters(),
      pictures,
    }

    const clip = mp4({ ...shape, stream })

    expect(boxesOf(clip)).toMatchObject({ width: 150, height: 84, frames: 6, seconds: 2 })
    const { frames } = await decode(clip, shape)
    expect(frames).toHaveLength(6)
    for (const [index, frame] of frames.entries()) {
      const mosaic = mosaics[index < 3 ? 0 : 1]!
      for (let y = 0; y < shape.height; y += 1) {
        for (let x = 0; x < shape.width; x += 1) {
          const meant = mosaic.brightness[(y >> 2) * 4 * columns + (x >> 2)]!
          const pixel = (y * shape.width + x) * 3
          const [r, g, b] = [frame[pixel]!, frame[pixel + 1]!, frame[pixel + 2]!]
          // Colours beyond what a screen can show are cut off on the way back, brightness with them.
          const isCut = [r, g, b].some((value) => value === 0 || value === 255)
          const actual = 16 + (0.2126 * r + 0.7152 * g + 0.0722 * b) * (219 / 255)
          if (!isCut) expect(Math.abs(actual - meant), `${index}: ${x},${y}`).toBeLessThan(7)
        }
      }
    }
  })
}

it('has code tables in which no code begins another', () => {
  for (const { tokens, zeros } of [brightnessLevels, colourLevels]) {
    const tables = [tokens.flat(), ...zeros]
    for (const table of tables) {
      const texts = table
        .filter(({ length }) => length > 0)
        .map(({ bits, length }) => bits.toString(2).padStart(length, '0'))
      for (const text of texts) expect(texts.filter((other) => other.startsWith(text))).toEqual([text])
    }
  }
})
