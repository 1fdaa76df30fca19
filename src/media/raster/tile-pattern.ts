import { bytesToHex } from '@noble/hashes/utils'
import { sha256OfText } from '../cache/digest.ts'
import type { ClipSpec } from '../spec.ts'
import type { Rgb, TaskColours } from './task-colours.ts'

/** A picture with three bytes a pixel, each of which is a tile of the clip. */
export interface TilePicture {
  rgb: Uint8Array
  width: number
  height: number
}

/** Draws what is seen in a second of the clip. */
export type DrawSecond = (second: number, picture: TilePicture) => void

/**
 * What a `fast` clip shows: before a sky in the colours of the prompt's scene a pattern, mirrored about its
 * middle, that belongs to this task and this second alone.
 */
export function tilePattern(spec: ClipSpec, { identity, colours }: TaskColours): DrawSecond {
  const shown = tilesShown(spec)
  // Colours are twice as coarse as brightness: edges on even tiles stay clean.
  const size = Math.max(1, even((Math.min(shown.width, shown.height) * 0.8) / cells))
  const left = even((shown.width - cells * size) / 2)
  const top = even((shown.height - cells * size) * 0.4)
  // One cell in four shows the sky through.
  const cellColours = [colours.near, colours.accent, colours.far, undefined]

  return (second, picture) => {
    for (let y = 0; y < picture.height; y += 1) {
      const share = Math.min(bands - 1, Math.floor((bands * y) / shown.height)) / (bands - 1)
      const colour = between(colours.skyTop, colours.skyLow, share)
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

/** A strip along the lower edge in the colours of the task: how much of the clip has passed. */
export function progressStrip(spec: ClipSpec, { colours }: TaskColours): DrawSecond {
  const shown = tilesShown(spec)
  const height = Math.max(1, Math.round(shown.height * 0.04))
  return (second, picture) => {
    // A picture is whole macroblocks high; the strip goes on below the part that is shown.
    const area = { x: 0, y: shown.height - height, height: picture.height }
    fill(picture, { ...area, width: picture.width }, colours.ink)
    fill(picture, { ...area, width: Math.round((shown.width * (second + 1)) / spec.seconds) }, colours.light)
  }
}

const bands = 8
const cells = 5
/** Pixels of the clip, each way. */
const tileSize = 4

function tilesShown(spec: ClipSpec): { width: number; height: number } {
  return { width: Math.ceil(spec.width / tileSize), height: Math.ceil(spec.height / tileSize) }
}

function between(a: Rgb, b: Rgb, share: number): Rgb {
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
