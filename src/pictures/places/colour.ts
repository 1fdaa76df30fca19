import { clamp, lerp } from './numbers.ts'

/** A colour as `#rrggbb`, in lower case. */
export type Colour = `#${string}`

/** Interpolates between two colours, at t 0..1. */
export function between(from: Colour, to: Colour, t: number): Colour {
  const a = channels(from)
  const b = channels(to)
  return fromChannels(lerp(a[0], b[0], t), lerp(a[1], b[1], t), lerp(a[2], b[2], t))
}

/** Darkens a colour towards a violet black, by 0..1. */
export function darker(colour: Colour, amount: number): Colour {
  return between(colour, '#0c0a18', amount)
}

/** Lightens a colour towards a warm white, by 0..1. */
export function lighter(colour: Colour, amount: number): Colour {
  return between(colour, '#fffaf0', amount)
}

/** The perceived lightness of a colour: 0 is black, 1 is white. */
export function luminance(colour: Colour): number {
  const [red, green, blue] = channels(colour)
  return (red * 3 + green * 6 + blue) / 2550
}

/** Changes the saturation of a colour by a factor. */
export function saturated(colour: Colour, factor: number): Colour {
  const [red, green, blue] = channels(colour)
  const grey = 255 * luminance(colour)
  return fromChannels(lerp(grey, red, factor), lerp(grey, green, factor), lerp(grey, blue, factor))
}

/** The perceived difference between two colours, for comparisons. */
export function distance(a: Colour, b: Colour): number {
  const [one, other] = [channels(a), channels(b)]
  const [red, green, blue] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
  return 3 * red * red + 4 * green * green + 2 * blue * blue
}

/** Red, green and blue, each 0..255. */
export function channels(colour: Colour): [red: number, green: number, blue: number] {
  const packed = Number.parseInt(colour.slice(1), 16)
  return [packed >> 16, (packed >> 8) & 255, packed & 255]
}

function fromChannels(red: number, green: number, blue: number): Colour {
  const packed = (channel(red) << 16) | (channel(green) << 8) | channel(blue)
  return `#${packed.toString(16).padStart(6, '0')}`
}

function channel(value: number): number {
  return clamp(Math.round(value), 0, 255)
}
