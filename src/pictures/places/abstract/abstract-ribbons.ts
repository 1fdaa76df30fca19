import { between, type Colour } from '../colour.ts'
import { wrap } from '../numbers.ts'
import { circle } from '../shapes.ts'
import { drawRidge } from '../terrain.ts'
import { layer, type View } from '../view.ts'

/** Further ribbons above and below the frame, for a camera that zooms out. */
const FIRST = -24
const BEFORE_THE_SUN = 3
const LAST = 40

/** Draws flowing ribbons of colour with a ring among them. */
export function drawRibbons(view: View): string[] {
  const drawings: string[] = []
  for (let i = FIRST; i < LAST; i++) {
    if (i === BEFORE_THE_SUN) drawings.push(drawRingSun(view))
    drawings.push(drawRibbon(view, i))
  }
  return drawings
}

const AMPLITUDE = 290

function drawRibbon(view: View, index: number): string {
  const base = view.height * 0.2 + index * 76
  const isSeen = base - AMPLITUDE < view.bottom && base > view.top - 320
  if (!isSeen) return ''
  const depth = 0.25 + wrap(index, 4) * 0.2
  const ribbon = {
    view,
    seed: view.terrainSeed + Math.floor(index / 3),
    base,
    amplitude: AMPLITUDE,
    wavelength: 640,
  }
  return layer(view, depth, drawRidge(view, depth, ribbon, ribbonColour(view, index)))
}

function ribbonColour({ palette }: View, index: number): Colour {
  const { accent, far, near, sun, light } = palette
  if (index % 4 === 3) return between(sun, light, 0.35)
  const colours = [accent, far, between(far, near, 0.5), near, between(accent, sun, 0.5)]
  return colours[wrap(index, colours.length)] ?? accent
}

function drawRingSun(view: View): string {
  const { height, palette, sun } = view
  return layer(
    view,
    0.2,
    circle(sun.x, height * 0.3, sun.radius * 1.5, palette.sun),
    circle(sun.x, height * 0.3, sun.radius * 1.1, palette.accent),
  )
}
