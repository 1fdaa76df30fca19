import type { Pixels } from '../raster/pixels.ts'

/**
 * Converts a picture to planar YUV 4:2:0 with the BT.709 matrix in studio range, as encoders expect. Computes in whole
 * numbers, so the result is the same on every machine.
 * @param pixels both sides must be even; alpha is ignored.
 * @param yuv the output, width * height * 1.5 bytes; allocated by default.
 * @returns the brightness of each pixel, then blue and then red for each group of four.
 */
export function yuv420(
  { data, width, height, channels }: Pixels,
  yuv = new Uint8Array(width * height * 1.5),
): Uint8Array {
  const rowBytes = width * channels
  let blue = width * height
  let red = blue + blue / 4
  for (let y = 0; y < height; y += 2) {
    let left = y * rowBytes
    let out = y * width
    for (let x = 0; x < width; x += 2) {
      const right = left + channels
      const lowerLeft = left + rowBytes
      const lowerRight = right + rowBytes
      const r0 = data[left]!
      const g0 = data[left + 1]!
      const b0 = data[left + 2]!
      const r1 = data[right]!
      const g1 = data[right + 1]!
      const b1 = data[right + 2]!
      const r2 = data[lowerLeft]!
      const g2 = data[lowerLeft + 1]!
      const b2 = data[lowerLeft + 2]!
      const r3 = data[lowerRight]!
      const g3 = data[lowerRight + 1]!
      const b3 = data[lowerRight + 2]!
      left = right + channels
      yuv[out] = brightness(r0, g0, b0)
      yuv[out + 1] = brightness(r1, g1, b1)
      yuv[out + width] = brightness(r2, g2, b2)
      yuv[out + width + 1] = brightness(r3, g3, b3)
      out += 2
      // Four pixels share one colour: their sum, divided by 4 * 65536.
      const r = r0 + r1 + r2 + r3
      const g = g0 + g1 + g2 + g3
      const b = b0 + b1 + b2 + b3
      yuv[blue++] = (-6596 * r - 22189 * g + 28784 * b + 33685504) >> 18
      yuv[red++] = (28784 * r - 26145 * g - 2639 * b + 33685504) >> 18
    }
  }
  return yuv
}

function brightness(r: number, g: number, b: number): number {
  return (11966 * r + 40254 * g + 4064 * b + 1081344) >> 16
}
