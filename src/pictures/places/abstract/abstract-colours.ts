import { between, type Colour } from '../colour.ts'
import { mix, wrap } from '../numbers.ts'
import type { Palette } from '../../data/palette-table.ts'
import type { View } from '../view.ts'

/** One of the seven colours of an abstract picture, by hash. */
export function pickedColour({ palette }: View, seed: number, a = 0, b = 0): Colour {
  return colourAt(palette, mix(seed, a, b))
}

/** A colour by hash that is not `other`. */
export function contrastingColour(view: View, other: Colour, seed: number, a = 0, b = 0): Colour {
  const hash = mix(seed, a, b)
  const colour = colourAt(view.palette, hash)
  return colour === other ? colourAt(view.palette, hash + 2) : colour
}

function colourAt(palette: Palette, index: number): Colour {
  const { accent, sun, far, near, ink, skyTop, light } = palette
  const colours = [accent, sun, far, near, ink, between(skyTop, far, 0.4), light]
  return colours[wrap(index, colours.length)] ?? accent
}
