import { fnv1a } from '../../engine/random/hash.ts'
import { mix, thousandth } from '../places/numbers.ts'

/** The share of the picture that the zoom cuts away by the end, beyond the crop to the shape of the frame. */
const ZOOM = 0.16

/** Directions to sides and corners, as fractions of the margin that the zoom makes. */
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

/** Hides a seam that rounding and resampling could leave at the edge, in output pixels on each side. */
const BLEED = 0.5

/**
 * An SVG document that shows a picture set in motion: it begins whole, cropped to fill the frame, and the camera
 * slowly moves towards a side or corner and nearer. No border is ever visible.
 * @param options.href a data URI.
 * @param options.width pixels of the frame, as `height`.
 * @param options.time 0..1 over the clip.
 * @param options.seed any text; it chooses the direction.
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
  // The camera moves only within the margin that the zoom has made, so at time 0 the picture is centred.
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
