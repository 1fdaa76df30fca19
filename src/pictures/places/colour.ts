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

/** A colour in words, such as `deep blue`, `pale pink` or `charcoal`. */
export function nameOfColour(colour: Colour): string {
  const light = luminance(colour)
  const saturation = saturationOf(colour)
  if (light < 0.09) return 'black'
  if (saturation < 0.14) return greyOf(light)
  const hue = hueOf(colour)
  if (saturation < 0.5 && hue >= 15 && hue < 60)
    return light > 0.7 ? 'cream' : light > 0.45 ? 'sand' : 'brown'
  if (hue >= 15 && hue < 45 && light < 0.42) return 'brown'
  const name = HUES.find(([end]) => hue < end)?.[1] ?? 'red'
  const shade = name === 'red' && light > 0.62 ? 'pink' : name
  if (light > 0.74 && saturation < 0.5) return `pale ${shade}`
  return light < 0.3 ? `deep ${shade}` : shade
}

function greyOf(light: number): string {
  if (light > 0.92) return 'white'
  if (light > 0.7) return 'pale grey'
  return light > 0.28 ? 'grey' : 'charcoal'
}

/** The hue in degrees on the colour wheel: 0 red, 120 green, 240 blue. Grey is 0. */
export function hueOf(colour: Colour): number {
  const [red, green, blue] = channels(colour)
  const most = Math.max(red, green, blue)
  const spread = most - Math.min(red, green, blue)
  if (spread === 0) return 0
  if (most === red) return (60 * ((green - blue) / spread) + 360) % 360
  return most === green ? 60 * ((blue - red) / spread) + 120 : 60 * ((red - green) / spread) + 240
}

/** The saturation of a colour: 0..1. */
export function saturationOf(colour: Colour): number {
  const all = channels(colour)
  const [most, least] = [Math.max(...all), Math.min(...all)]
  return most === 0 ? 0 : (most - least) / most
}

/** Up to which angle of the wheel a colour has its name. */
export const HUES: readonly (readonly [end: number, name: string])[] = [
  [15, 'red'],
  [40, 'orange'],
  [66, 'yellow'],
  [85, 'lime'],
  [160, 'green'],
  [190, 'teal'],
  [250, 'blue'],
  [290, 'purple'],
  [340, 'pink'],
  [360, 'red'],
]
