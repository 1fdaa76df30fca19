import sharp from 'sharp'

export interface Pixels {
  width: number
  height: number
  /** Red, green, blue of the pixel at x, y. */
  at(x: number, y: number): [red: number, green: number, blue: number]
  bytes: Uint8Array
}

/** Draws an SVG over magenta, which no scene has, so that a hole would show. Throws when it is not well-formed. */
export async function rasterised(svg: string): Promise<Pixels> {
  const { data, info } = await sharp(Buffer.from(svg))
    .flatten({ background: '#ff00ff' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return {
    width: info.width,
    height: info.height,
    at(x, y) {
      const start = (y * info.width + x) * 3
      return [data[start] ?? -1, data[start + 1] ?? -1, data[start + 2] ?? -1]
    },
    bytes: data,
  }
}

/** The part of colour values that differ by more than `tolerance` of 255. */
export function difference(a: Uint8Array, b: Uint8Array, tolerance: number): number {
  if (a.length !== b.length) return 1
  let count = 0
  for (let i = 0; i < a.length; i++) {
    if (Math.abs((a[i] ?? 0) - (b[i] ?? 0)) > tolerance) count++
  }
  return count / a.length
}
