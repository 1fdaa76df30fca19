import { encode } from 'uqr'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { ClipSpec } from '../spec.ts'
import { macroblocksOf } from './headers.ts'
import { MosaicEncoder } from './picture.ts'
import { fill, mosaicFromRgb, type Rgb, type TilePicture, writeClip } from './tiled-clip.ts'

/**
 * Renders a test card for players: colour bars, a ramp of greys, number and time of each frame, and a QR code of task and
 * frame. A lamp flashes with a beep at the start of each second. It is written without an encoder, so its bytes are the
 * same everywhere.
 */
export async function cardClip(spec: ClipSpec): Promise<Uint8Array> {
  const { columns, rows } = macroblocksOf(spec)
  const { seconds, framesPerSecond } = spec
  const encoder = new MosaicEncoder({ columns, rows })
  const draw = openCard(spec)
  const pictures = []
  for (let frame = 0; frame < seconds * framesPerSecond; frame += 1) {
    const mosaic = mosaicFromRgb({ rgb: draw(frame).rgb, columns, rows })
    const inSecond = frame % framesPerSecond
    const key = inSecond === 0
    const unit = key
      ? encoder.keyPicture(mosaic, (frame / framesPerSecond) % 2)
      : encoder.changedPicture(mosaic, inSecond)
    pictures.push({ units: [unit], key })
    await nextTurn()
  }
  return writeClip({ ...spec, audio: 'beep' }, pictures)
}

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]
const grey: Rgb = [64, 64, 64]

/** The colour bars at 75 %, as broadcasters use them. */
const bars: readonly Rgb[] = [
  [191, 191, 191],
  [191, 191, 0],
  [0, 191, 191],
  [0, 191, 0],
  [191, 0, 191],
  [191, 0, 0],
  [0, 0, 191],
]

/**
 * Prepares the card of a clip.
 * @returns a function that draws a frame, in tiles of 4 × 4 pixels.
 */
function openCard(spec: ClipSpec): (frame: number) => TilePicture {
  const { columns, rows } = macroblocksOf(spec)
  const { width, height } = { width: Math.ceil(spec.width / 4), height: Math.ceil(spec.height / 4) }
  const still: TilePicture = {
    rgb: new Uint8Array(48 * columns * rows),
    width: 4 * columns,
    height: 4 * rows,
  }
  const barsHeight = even(height / 5)
  const rampHeight = even(height / 12)
  fill(still, { x: 0, y: 0, width: still.width, height: still.height }, grey)
  drawBars(still, bars, { x: 0, y: 0, width, height: barsHeight })
  const greys = Array.from({ length: 8 }, (_, index): Rgb => {
    const value = Math.round((255 * index) / 7)
    return [value, value, value]
  })
  drawBars(still, greys, { x: 0, y: barsHeight, width, height: rampHeight })

  const top = barsHeight + rampHeight
  const code = codesOf(spec, height - top, width * 0.6)
  const panel = { x: code.size, y: top, width: width - code.size, height: height - top }
  return (frame) => {
    const picture = { ...still, rgb: still.rgb.slice() }
    code.draw(picture, frame, { x: 0, y: top })
    drawPanel(picture, panel, frame, spec)
    return picture
  }
}

/** Draws a lamp in the upper half of an area, and number and time of the frame below it. */
function drawPanel(
  picture: TilePicture,
  area: Area,
  frame: number,
  { framesPerSecond, seconds }: ClipSpec,
): void {
  const flashFrames = Math.max(1, Math.round(framesPerSecond / 10))
  const isFlash = frame % framesPerSecond < flashFrames
  // Two lines of text need six tiles each.
  const lampHeight = Math.max(2, even(Math.min(area.height * 0.3, area.height - 16)))
  const lamp = { x: area.x + 2, y: area.y + 2, width: area.width - 4, height: lampHeight }
  fill(picture, lamp, isFlash ? white : black)
  const line = Math.floor((area.height - lampHeight - 3) / 2)
  const last = seconds * framesPerSecond - 1
  const lines = [
    String(frame).padStart(String(last).length, '0'),
    (frame / framesPerSecond).toFixed(3).padStart((last / framesPerSecond).toFixed(3).length, '0'),
  ]
  lines.forEach((text, index) => {
    const y = area.y + lampHeight + 3 + index * line
    drawText(picture, text, { x: area.x + 1, y, width: area.width - 2, height: line })
  })
}

interface Area {
  x: number
  y: number
  width: number
  height: number
}

function drawBars(picture: TilePicture, colours: readonly Rgb[], { x, y, width, height }: Area): void {
  colours.forEach((colour, index) => {
    const left = even((width * index) / colours.length)
    fill(picture, { x: x + left, y, width: picture.width, height }, colour)
  })
}

/** The QR codes of all frames, in one size; no size if there is no space for them. */
function codesOf(
  { taskId, seconds, framesPerSecond }: ClipSpec,
  maxHeight: number,
  maxWidth: number,
): { size: number; draw: (picture: TilePicture, frame: number, at: { x: number; y: number }) => void } {
  const textOf = (frame: number): string => `${taskId} ${frame}`
  const options = { ecc: 'L', border: 4, boostEcc: false, maskPattern: 0 } as const
  const longest = encode(textOf(seconds * framesPerSecond - 1), options)
  const scale = Math.floor(Math.min(maxHeight, maxWidth) / longest.size)
  if (scale === 0) return { size: 0, draw: () => undefined }
  return {
    size: scale * longest.size,
    draw: (picture, frame, at) => {
      const { data } = encode(textOf(frame), { ...options, minVersion: longest.version })
      fill(picture, { ...at, width: scale * data.length, height: scale * data.length }, white)
      data.forEach((row, y) =>
        row.forEach((isDark, x) => {
          const dot = { x: at.x + x * scale, y: at.y + y * scale, width: scale, height: scale }
          if (isDark) fill(picture, dot, black)
        }),
      )
    },
  }
}

/** Draws a text in white on black, as large as it fits. Draws nothing if there is no space. */
function drawText(picture: TilePicture, text: string, area: Area): void {
  const scale = Math.floor(Math.min((area.width - 1) / (text.length * 4), area.height / 5))
  if (scale < 1) return
  const size = { width: (text.length * 4 + 1) * scale, height: 7 * scale }
  fill(picture, { ...area, ...size, height: Math.min(size.height, area.height) }, black)
  const [left, top] = [area.x + scale, area.y + Math.min(scale, Math.floor((area.height - 5 * scale) / 2))]
  ;[...text].forEach((character, index) => {
    glyphs[character]?.forEach((row, y) => {
      for (let x = 0; x < 3; x += 1) {
        if ((row & (4 >> x)) === 0) continue
        const dot = { x: left + (index * 4 + x) * scale, y: top + y * scale, width: scale, height: scale }
        fill(picture, dot, white)
      }
    })
  })
}

/** The glyphs: five rows of three dots each. */
const glyphs: Readonly<Record<string, readonly number[]>> = {
  '0': [7, 5, 5, 5, 7],
  '1': [2, 6, 2, 2, 7],
  '2': [7, 1, 7, 4, 7],
  '3': [7, 1, 7, 1, 7],
  '4': [5, 5, 7, 1, 1],
  '5': [7, 4, 7, 1, 7],
  '6': [7, 4, 7, 5, 7],
  '7': [7, 1, 1, 1, 1],
  '8': [7, 5, 7, 5, 7],
  '9': [7, 5, 7, 1, 7],
  '.': [0, 0, 0, 0, 2],
}

function even(value: number): number {
  return 2 * Math.round(value / 2)
}
