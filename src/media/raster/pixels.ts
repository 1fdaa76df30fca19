/** A picture in memory: rows of pixels from the top, three or four bytes each. */
export interface Pixels {
  data: Uint8Array
  width: number
  height: number
  /** 4 with alpha. */
  channels: 3 | 4
}

/** The coverage of each pixel: 0..255, one byte each. */
export type Coverage = Uint8Array

/**
 * Draws pixels over opaque ones. Pixels outside are ignored.
 * @param options.left the position of the upper left corner, with `top`; may be negative.
 * @param options.coverage the coverage of the upper pixels; full by default.
 * @param options.opacity 0..1.
 */
export function layPixels(
  upon: Pixels,
  pixels: Pixels,
  options: { left: number; top: number; coverage?: Coverage | undefined; opacity?: number | undefined },
): void {
  const { left, top, coverage, opacity = 1 } = options
  const firstX = Math.max(0, -left)
  const lastX = Math.min(pixels.width, upon.width - left)
  const lastY = Math.min(pixels.height, upon.height - top)
  if (lastX <= firstX) return
  const isPlain = !coverage && opacity === 1 && pixels.channels === 3 && upon.channels === 3
  const strength = Math.round(opacity * 255)
  for (let y = Math.max(0, -top); y < lastY; y += 1) {
    let from = y * pixels.width + firstX
    let to = ((y + top) * upon.width + left + firstX) * upon.channels
    if (isPlain) {
      upon.data.set(pixels.data.subarray(from * 3, (from + lastX - firstX) * 3), to)
      continue
    }
    for (let x = firstX; x < lastX; x += 1, from += 1, to += upon.channels) {
      let share = coverage ? coverage[from]! : 255
      if (strength !== 255) share = part(share, strength)
      const start = from * pixels.channels
      if (pixels.channels === 4) share = part(share, pixels.data[start + 3]!)
      if (share === 0) continue
      for (let channel = 0; channel < 3; channel += 1) {
        const below = upon.data[to + channel]!
        // Rounded in whole numbers, so that uncovered pixels stay unchanged to the last bit.
        upon.data[to + channel] = (below * (255 - share) + pixels.data[start + channel]! * share + 127) / 255
      }
    }
  }
}

/** A picture of four times the size: the picture, and its mirror images to the right and below. */
export function mirrorPixels({ data, width, height }: Pixels): Pixels {
  const mirrored = new Uint8Array(width * height * 12)
  const rowBytes = width * 6
  for (let y = 0; y < height; y += 1) {
    const row = new Uint8Array(rowBytes)
    for (let x = 0; x < width; x += 1) {
      const pixel = data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)
      row.set(pixel, x * 3)
      row.set(pixel, (2 * width - 1 - x) * 3)
    }
    mirrored.set(row, y * rowBytes)
    mirrored.set(row, (2 * height - 1 - y) * rowBytes)
  }
  return { data: mirrored, width: width * 2, height: height * 2, channels: 3 }
}

/** The same pixels of four channels, somewhere in a larger transparent frame. */
export function padPixels(
  { data, width, height }: Pixels,
  frame: { width: number; height: number },
  { left, top }: { left: number; top: number },
): Pixels {
  const padded = new Uint8Array(frame.width * frame.height * 4)
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * width * 4, (y + 1) * width * 4)
    padded.set(row, ((top + y) * frame.width + left) * 4)
  }
  return { data: padded, width: frame.width, height: frame.height, channels: 4 }
}

/** The same picture as an oval on a transparent ground, with a soft rim. */
export function cutOval({ data, width, height }: Pixels): Pixels {
  const oval = new Uint8Array(width * height * 4)
  const rimPixels = Math.min(width, height) / 2
  for (let y = 0, from = 0, to = 0; y < height; y += 1) {
    const down = (2 * y + 1) / height - 1
    for (let x = 0; x < width; x += 1, from += 3, to += 4) {
      const right = (2 * x + 1) / width - 1
      const share = (1 - Math.sqrt(right * right + down * down)) * rimPixels
      if (share <= 0) continue
      oval[to] = data[from]!
      oval[to + 1] = data[from + 1]!
      oval[to + 2] = data[from + 2]!
      oval[to + 3] = share >= 1 ? 255 : Math.round(255 * share)
    }
  }
  return { data: oval, width, height, channels: 4 }
}

function part(a: number, b: number): number {
  return Math.round((a * b) / 255)
}
