import { HUES } from '../data/photo-words.ts'
import { channels, luminance, type Colour } from '../places/colour.ts'

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
