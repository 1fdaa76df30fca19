import { bytesToHex } from '@noble/hashes/utils'
import type { Palette } from '../../pictures/data/palette-table.ts'
import { paletteOf } from '../../pictures/places/palettes.ts'
import { sceneOf } from '../../pictures/places/scene.ts'
import { sha256OfText } from '../cache/digest.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { clipsByImage, ownPicture, sceneText } from '../moving-scene.ts'
import type { Raster } from '../raster/raster.ts'
import type { ClipSpec } from '../spec.ts'
import type { Pictures as CodedStream } from './annex-b.ts'
import { macroblocksOf, pictureParameters, sequenceParameters } from './headers.ts'
import { mp4 } from './mp4.ts'
import { MosaicEncoder, type Mosaic, repeatedPicture } from './picture.ts'
import { yuv420 } from './yuv.ts'

/**
 * Renders a `fast` clip: a new coarse picture every second, repeated until the next. It is valid H.264, but simple enough
 * to write without an encoder. So the bytes are the same everywhere.
 * @param tools.pictures the received pictures, if there are any.
 */
export async function tiledClip(
  spec: ClipSpec,
  tools: { raster: Raster; pictures: Pictures },
): Promise<Uint8Array> {
  const { columns, rows } = macroblocksOf(spec)
  const frames = spec.seconds * spec.framesPerSecond
  const { count, draw } = await openTiles(spec, tools)

  const encoder = new MosaicEncoder({ columns, rows })
  const pictures = []
  for (let step = 0; step < count; step += 1) {
    const mosaic = mosaicFromRgb({ rgb: draw(step).rgb, columns, rows })
    pictures.push({ units: [encoder.keyPicture(mosaic, step % 2)], key: true })
    const end = Math.round((frames * (step + 1)) / count)
    for (let frameNumber = 1; pictures.length < end; frameNumber += 1) {
      pictures.push({ units: [repeatedPicture({ columns, rows, frameNumber })], key: false })
    }
    await nextTurn()
  }
  return writeClip(spec, pictures)
}

/** The MP4 of a clip that is written without an encoder. */
async function writeClip(spec: ClipSpec, pictures: CodedStream['pictures']): Promise<Uint8Array> {
  const stream = {
    sequenceParameters: sequenceParameters(spec),
    pictureParameters: pictureParameters(),
    pictures,
  }
  return mp4({ ...spec, stream, sound: await soundOf(spec) })
}

/** The AAC frames of a clip; undefined for one without an audio track. */
export async function soundOf({ audio, seconds }: ClipSpec): Promise<readonly Uint8Array[] | undefined> {
  return audio && (await import('../audio/soundtrack.ts')).soundtrack(audio, seconds)
}

type Pictures = readonly (Uint8Array | undefined)[]

/**
 * Draws the coarse pictures of a clip: one for each second, or more if its images are visible for less than a second.
 * @param tools.pictures the received pictures, if there are any.
 * @returns the number of pictures, and a function that draws one.
 */
export async function openTiles(
  spec: ClipSpec,
  { raster, pictures }: { raster: Raster; pictures: Pictures },
): Promise<{ count: number; draw: (step: number) => TilePicture }> {
  const { columns, rows } = macroblocksOf(spec)
  const frames = spec.seconds * spec.framesPerSecond
  const clips = clipsByImage(spec)
  const count = Math.min(frames, Math.max(spec.seconds, clips.length))
  const shares = { ...spec, seconds: count }
  const images = await Promise.all(
    clips.map(async (each, index): Promise<DrawSecond> => {
      const picture = pictures[index]
      if (!picture) return tilePattern(each, taskColours(each))
      return movingPicture(shares, raster, picture)
    }),
  )
  // Two tasks may have the same picture. The strip still distinguishes them.
  const drawStrip = progressStrip(shares, taskColours(spec))
  const draw = (step: number): TilePicture => {
    const tiles = { rgb: new Uint8Array(48 * columns * rows), width: 4 * columns, height: 4 * rows }
    images[Math.floor((step * images.length) / count)]!(step, tiles)
    drawStrip(step, tiles)
    return tiles
  }
  return { count, draw }
}

/** The picture fills the frame, and the camera moves from its middle towards the lower right. */
async function movingPicture(spec: ClipSpec, raster: Raster, picture: Uint8Array): Promise<DrawSecond> {
  const { columns, rows } = macroblocksOf(spec)
  const size = { width: Math.ceil(4 * columns * room), height: Math.ceil(4 * rows * room) }
  const { data, width, height } = await raster.drawPhoto(picture, size)
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
 * Converts a small picture to a mosaic. Each pixel becomes one of the finest tiles.
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

/** A picture with three bytes per pixel. Each pixel is a tile of the clip. */
interface TilePicture {
  rgb: Uint8Array
  width: number
  height: number
}

/** Draws the picture of one second of the clip. */
type DrawSecond = (second: number, picture: TilePicture) => void

/**
 * Draws a sky in the colours of the scene, and in front of it a mirrored pattern that is unique to the task and the second.
 */
function tilePattern(spec: ClipSpec, { identity, colours }: TaskColours): DrawSecond {
  const visible = visibleTiles(spec)
  // Cells have even sizes: colours are half as fine as brightness, so edges on even tiles are clean.
  const size = Math.max(1, even((Math.min(visible.width, visible.height) * 0.8) / cells))
  const left = even((visible.width - cells * size) / 2)
  const top = even((visible.height - cells * size) * 0.4)
  // One cell in four is transparent to the sky.
  const cellColours = [colours.near, colours.accent, colours.far, undefined]

  return (second, picture) => {
    for (let y = 0; y < picture.height; y += 1) {
      const share = Math.min(bands - 1, Math.floor((bands * y) / visible.height)) / (bands - 1)
      const colour = mixColours(colours.skyTop, colours.skyLow, share)
      fill(picture, { x: 0, y, width: picture.width, height: 1 }, colour)
    }
    const choices = sha256OfText(`${bytesToHex(identity)} ${second}`)
    for (let row = 0; row < cells; row += 1) {
      for (let column = 0; column < cells; column += 1) {
        const fromMiddle = Math.abs(column - (cells - 1) / 2)
        const colour = cellColours[choices[row * cells + fromMiddle]! % cellColours.length]
        if (!colour) continue
        fill(picture, { x: left + column * size, y: top + row * size, width: size, height: size }, colour)
      }
    }
  }
}

/** Draws a strip along the lower edge, in the colours of the task, which shows how much of the clip has passed. */
function progressStrip(spec: ClipSpec, { colours }: TaskColours): DrawSecond {
  const visible = visibleTiles(spec)
  const height = Math.max(1, Math.round(visible.height * 0.04))
  return (second, picture) => {
    // A picture consists of whole macroblocks, so the strip continues below the visible part.
    const area = { x: 0, y: visible.height - height, height: picture.height }
    fill(picture, { ...area, width: picture.width }, colours.ink)
    fill(
      picture,
      { ...area, width: Math.round((visible.width * (second + 1)) / spec.seconds) },
      colours.light,
    )
  }
}

const bands = 8
const cells = 5
/** The side of a tile, in pixels. */
const tileSize = 4

function visibleTiles(spec: ClipSpec): { width: number; height: number } {
  return { width: Math.ceil(spec.width / tileSize), height: Math.ceil(spec.height / tileSize) }
}

function mixColours(a: Rgb, b: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(a[index] + (b[index] - a[index]) * share)
  return [part(0), part(1), part(2)]
}

function fill(
  picture: TilePicture,
  area: { x: number; y: number; width: number; height: number },
  [red, green, blue]: Rgb,
): void {
  const right = Math.min(picture.width, area.x + area.width)
  const bottom = Math.min(picture.height, area.y + area.height)
  for (let y = Math.max(0, area.y); y < bottom; y += 1) {
    for (let x = Math.max(0, area.x); x < right; x += 1) {
      const start = (y * picture.width + x) * 3
      picture.rgb[start] = red
      picture.rgb[start + 1] = green
      picture.rgb[start + 2] = blue
    }
  }
}

function even(value: number): number {
  return value < 2 ? Math.floor(value) : 2 * Math.floor(value / 2)
}

type Rgb = [red: number, green: number, blue: number]

/** The properties that make the `fast` clip of a task unique. */
interface TaskColours {
  /** Bytes that are unique to the prompt, picture, model, seed and task. */
  identity: Uint8Array
  /** The palette of the scene or picture. Each colour is slightly changed for this task. */
  colours: Record<keyof Palette, Rgb>
}

/** The palette of the prompt with a small change for the task, so that two tasks look different. */
function taskColours(spec: ClipSpec): TaskColours {
  const { prompt, model, seed, taskId, width, height } = spec
  const own = ownPicture(spec.image)
  const text = own ? JSON.stringify(own) : sceneText(spec)
  const identity = sha256OfText(JSON.stringify([prompt, text, model, seed, taskId]))
  const palette = paletteOf(own?.world ?? sceneOf({ prompt: text, model, seed, width, height }))
  const names: (keyof Palette)[] = ['skyTop', 'skyLow', 'sun', 'far', 'near', 'accent', 'light', 'ink']
  const entries = names.map((name, index) => {
    const nudges = identity.subarray(3 * index, 3 * index + 3)
    return [name, nudgeColour(palette[name], nudges)] as const
  })
  return { identity, colours: Object.fromEntries(entries) as Record<keyof Palette, Rgb> }
}

/** @param colour `#rrggbb`. */
function nudgeColour(colour: string, nudges: Uint8Array): Rgb {
  const value = (part: number) => {
    const given = parseInt(colour.slice(1 + 2 * part, 3 + 2 * part), 16)
    return Math.max(0, Math.min(255, given + (nudges[part]! % 41) - 20))
  }
  return [value(0), value(1), value(2)]
}
