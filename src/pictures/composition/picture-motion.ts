import { fnv1a } from '../../engine/random/hash.ts'
import { mix, thousandth } from '../places/numbers.ts'

/** The fraction of the picture that the zoom has cut off at the end, in addition to the crop to the frame. */
const ZOOM = 0.16

/** Directions to sides and corners, as fractions of the margin that the zoom creates. */
const DIRECTIONS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
] as const

/** An overlap of the edge, in output pixels on each side, which hides seams of rounding and resampling. */
const BLEED = 0.5

/**
 * Draws an animated picture as an SVG document. It begins with the whole picture, cropped to fill the frame. The camera
 * slowly zooms in and moves towards a side or corner. No border is ever visible.
 * @param options.href a data URI.
 * @param options.width the width of the frame in pixels; `height` is its height.
 * @param options.time 0..1 over the clip.
 * @param options.seed any text. It determines the direction.
 * @param options.overlay SVG drawn over the picture, in output pixels.
 */
export function pictureSvg(options: {
  href: string
  pictureWidth: number
  pictureHeight: number
  width: number
  height: number
  time: number
  seed: string
  overlay?: string
}): string {
  const { href, width, height, time, seed, overlay = '' } = options
  const [towardsX, towardsY] = DIRECTIONS[mix(fnv1a(seed), 3) & 7] ?? DIRECTIONS[0]
  const zoom = 1 + ZOOM * time
  const toFill = Math.max(
    (width + 2 * BLEED) / options.pictureWidth,
    (height + 2 * BLEED) / options.pictureHeight,
  )
  const pictureWidth = options.pictureWidth * toFill * zoom
  const pictureHeight = options.pictureHeight * toFill * zoom
  // The camera moves only within the margin that the zoom has created, so at time 0 the picture is centred.
  const x = (width - pictureWidth - towardsX * width * ZOOM * time) / 2
  const y = (height - pictureHeight - towardsY * height * ZOOM * time) / 2
  const place = `x="${thousandth(x)}" y="${thousandth(y)}"`
  const size = `width="${thousandth(pictureWidth)}" height="${thousandth(pictureHeight)}"`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<image ${place} ${size} preserveAspectRatio="none" href="${attributeText(href)}"/>${overlay}</svg>`
  )
}

function attributeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
