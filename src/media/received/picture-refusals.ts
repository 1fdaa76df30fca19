import { ImageRefused } from '../source.ts'

/** How long a picture may take to decode. */
export const decodeSeconds = 20

/** The longest side of a received picture as it is kept: more can't be seen in any clip or drawing. */
export const maxSide = 1920

/** @throws {ImageRefused} for more pixels than are taken. */
export function checkPixels({ width, height }: { width: number; height: number }, most: number): void {
  if (width * height <= most) return
  throw new ImageRefused(
    `The image is too large: ${width}x${height} are ${megapixels(width * height)} megapixels, ` +
      `while at most ${megapixels(most)} are taken.`,
  )
}

/** @throws {ImageRefused} with the first line of what the decoder said. */
export function refuseAsDamaged(error: Error): never {
  const reason = error.message.split('\n', 1)[0]!.replace(/[.:\s]+$/, '')
  throw new ImageRefused(`The image is damaged or cut off, and can't be decoded: ${reason}.`, {
    cause: error,
  })
}

function megapixels(pixels: number): string {
  return (pixels / 1_000_000).toFixed(1)
}
