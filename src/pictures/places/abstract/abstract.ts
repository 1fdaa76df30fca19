import { castIn, drawFigure } from '../../cast/attached.ts'
import { between, type Colour } from '../colour.ts'
import { shortSide, layer, type View, isInSight, lattice } from '../view.ts'
import { circle, placed, rect, outline, path } from '../shapes.ts'
import { wrapIndex, clamp, mix, smooth, unit } from '../numbers.ts'
import { drawRidge } from '../terrain.ts'
import type { Palette } from '../../data/palette-table.ts'

/** Draws tiles or ribbons, by the `mode` gene. A subject gets a disc in the middle. */
export function drawAbstract(view: View): string[] {
  return [drawGroundColour(view), ...drawComposition(view), drawSubjectOnDisc(view)]
}

function drawComposition(view: View): string[] {
  if (view.genes.mode < 0.6) return [drawTiles(view)]
  return drawRibbons(view)
}

function groundColour({ palette }: View): Colour {
  return between(palette.skyLow, palette.light, 0.4)
}

function drawGroundColour(view: View): string {
  const { left, top, right, bottom } = view
  return rect(left - 5, top - 5, right - left + 10, bottom - top + 10, groundColour(view))
}

function drawSubjectOnDisc(view: View): string {
  const { width, height } = view
  const [member] = castIn(view)
  if (!member) return ''
  const size = shortSide(view) * 0.24
  const middle = { x: width / 2, y: height / 2 }
  return layer(
    view,
    0.5,
    circle(middle.x, middle.y, size * 1.55, groundColour(view)),
    placed(drawFigure(view, member, size * 1.8), { ...middle, y: middle.y + size * 0.9 }),
  )
}

/** Further ribbons above and below the frame, for a camera that zooms out. */
const FIRST = -24
const BEFORE_THE_SUN = 3
const LAST = 40

/** Draws flowing ribbons of colour with a ring among them. */
function drawRibbons(view: View): string[] {
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
  const depth = 0.25 + wrapIndex(index, 4) * 0.2
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
  return colours[wrapIndex(index, colours.length)] ?? accent
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

/** Draws square tiles in the style of the Bauhaus. Some turn by a quarter during a clip. */
function drawTiles(view: View): string {
  const size = view.genes.detail > 0.5 ? 250 : 200
  const tiles = lattice(view, { depth: 0.35, width: size, height: size, reach: 1 })
    .map(({ column, row, x, y, salt }) => {
      const middle = { x: x + size / 2, y: y + size / 2 }
      if (!isInSight(view, 0.35, { ...middle, reach: size })) return ''
      const motif = mix(view.terrainSeed + salt + 2, column, row) % 5
      const turn =
        (mix(view.terrainSeed + salt + 3, column, row) & 3) * 90 + quarterTurn(view, { motif, column, row })
      const drawing = drawTile(view, { column, row, motif, half: size / 2, seed: view.terrainSeed + salt })
      return placed(drawing, { ...middle, turn })
    })
    .join('')
  return layer(view, 0.35, tiles)
}

function quarterTurn(
  { time, terrainSeed }: View,
  { motif, column, row }: { motif: number; column: number; row: number },
): number {
  if (motif >= 3) return 0
  const delay = unit(terrainSeed, column, row)
  return 90 * smooth(clamp(time * 2 - delay, 0, 1))
}

/** Draws one tile around 0, 0. */
function drawTile(
  view: View,
  tile: { column: number; row: number; motif: number; half: number; seed: number },
): string {
  const { column, row, motif, half, seed } = tile
  const size = half * 2
  const ground = pickedColour(view, seed, column, row)
  const colour = contrastingColour(view, ground, seed + 1, column, row)
  // Overlaps the edge by half a unit. Otherwise, the tile behind it shows through the seam.
  const square = rect(-half - 0.5, -half - 0.5, size + 1, size + 1, ground)
  switch (motif) {
    case 0: // a quarter of a circle
      return (
        square + path(outline`M${-half},${-half}A${size},${size} 0 0 1 ${half},${half}H${-half}Z`, colour)
      )
    case 1: {
      // two arches
      const upper = outline`M${-half},0A${half},${half} 0 0 1 ${half},0Z`
      const lower = outline`M${-half},${half}A${half},${half} 0 0 1 ${half},${half}Z`
      return square + path(upper, colour) + path(lower, pickedColour(view, seed + 4, column, row))
    }
    case 2: // a triangle
      return square + path(outline`M${-half},${-half}H${half}L${-half},${half}Z`, colour)
    case 3: // a ring
      return square + circle(0, 0, half * 0.72, colour) + circle(0, 0, half * 0.34, ground)
    default: {
      // a leaf
      const leaf =
        outline`M${-half},${-half}A${size},${size} 0 0 1 ${half},${half}` +
        outline`A${size},${size} 0 0 1 ${-half},${-half}Z`
      return square + path(leaf, colour)
    }
  }
}

/** One of the seven colours of an abstract picture, chosen by hash. */
function pickedColour({ palette }: View, seed: number, a = 0, b = 0): Colour {
  return colourAt(palette, mix(seed, a, b))
}

/** A colour, chosen by hash, that is not `other`. */
function contrastingColour(view: View, other: Colour, seed: number, a = 0, b = 0): Colour {
  const hash = mix(seed, a, b)
  const colour = colourAt(view.palette, hash)
  return colour === other ? colourAt(view.palette, hash + 2) : colour
}

function colourAt(palette: Palette, index: number): Colour {
  const { accent, sun, far, near, ink, skyTop, light } = palette
  const colours = [accent, sun, far, near, ink, between(skyTop, far, 0.4), light]
  return colours[wrapIndex(index, colours.length)] ?? accent
}
