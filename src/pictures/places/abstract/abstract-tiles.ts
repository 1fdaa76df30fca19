import type { Palette } from '../../data/palette-table.ts'
import { between, type Colour } from '../colour.ts'
import { clamp, mix, smooth, unit, wrap } from '../numbers.ts'
import { circle, outline, path, placed, rect } from '../shapes.ts'
import { isInSight, lattice, layer, type View } from '../view.ts'

/** Draws square tiles in the style of the Bauhaus. Some turn by a quarter during a clip. */
export function drawTiles(view: View): string {
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
  return colours[wrap(index, colours.length)] ?? accent
}
