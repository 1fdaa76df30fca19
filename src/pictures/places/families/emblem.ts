import { drawOnEmblem, standsOnTable } from '../../cast/on-emblem.ts'
import { findIcon } from '../../data/subjects.ts'
import { between, darker, distance, lighter, luminance, type Colour } from '../colour.ts'
import { unit, wave } from '../numbers.ts'
import { shortSide } from '../../composition/placing.ts'
import { circle, outline, path, placed, rect, ring, stroke } from '../shapes.ts'
import { isInSight, lattice, layer, type View } from '../view.ts'
import { drawArches, drawDisc, drawHillsInDisc, drawRays, type EmblemLayout } from './emblem-backdrops.ts'

/** Draws the cast large in front of rays, arches or a disc, or on a table, with sprigs and confetti around it. */
export function drawEmblem(view: View): string[] {
  const layout = layoutOf(view)
  // Without a subject, the hills in the disc are the content of the picture.
  const cast = view.scene.cast ?? []
  const backdrop = cast.length > 0 ? Math.floor(view.genes.mode * 3) : 2
  const hasArches = backdrop === 1
  return [
    drawWall(view, layout),
    backdrop === 0 ? drawRays(view, layout) : '',
    hasArches ? drawArches(view, layout) : drawDisc(view, layout),
    backdrop === 2 ? drawHillsInDisc(view, layout) : '',
    layout.table === undefined ? '' : drawTable(view, layout.table),
    view.genes.detail > 0.3 && cast.reduce((sum, { count }) => sum + count, 0) < 2
      ? drawSprigs(view, layout, hasArches)
      : '',
    drawConfetti(view, layout),
    layer(view, 0.02, drawOnEmblem(view, layout)),
  ]
}

/** The minimum distance of colours: a subject in nearly the colour of the disc would be hard to see. */
const maxLostDistance = 42_000

function layoutOf(view: View): EmblemLayout {
  const { palette, scene, width, height } = view
  const cast = scene.cast ?? []
  const side = shortSide(view)
  const size = side * 0.26
  const y = height * 0.5
  const [first] = cast
  const hero = first && (first.colour ?? findIcon(first.icon)?.main ?? palette.accent)
  const paleDisc = between(palette.sun, palette.light, 0.3)
  const isLost =
    hero !== undefined &&
    Math.abs(luminance(paleDisc) - luminance(hero)) < 0.16 &&
    distance(paleDisc, hero) < maxLostDistance
  return {
    x: width / 2,
    y,
    side,
    size,
    ...(cast.length > 0 && cast.every(standsOnTable) && { table: y + size * 0.98 }),
    wall: between(palette.skyTop, palette.skyLow, 0.45),
    disc: isLost ? between(palette.near, palette.far, 0.4) : paleDisc,
  }
}

function drawWall({ left, top, right, bottom }: View, { wall }: EmblemLayout): string {
  return rect(left - 5, top - 5, right - left + 10, bottom - top + 10, wall)
}

function drawTable(view: View, y: number): string {
  const { left, right, bottom, palette } = view
  const width = right - left + 1000
  return layer(
    view,
    0.2,
    rect(left - 400, y, width, Math.max(10, bottom + 10 - y), between(palette.near, palette.far, 0.25)),
    rect(left - 400, y, width, 12, between(palette.far, palette.light, 0.3)),
  )
}

/** Draws two swaying sprigs on each side. */
function drawSprigs(view: View, { x, y, side, size, table }: EmblemLayout, isDark: boolean): string {
  const { palette, time } = view
  const colour = isDark ? between(palette.near, palette.ink, 0.35) : between(palette.near, palette.far, 0.3)
  const shaded = darker(colour, 0.15)
  const foot = table === undefined ? y + size * 1.5 : table + 10
  const sway = 3 * wave(time * 1.5)
  return layer(
    view,
    0.5,
    placed(drawSprig(colour), { x: x - side * 0.4, y: foot, turn: -14 + sway }),
    placed(drawSprig(shaded), { x: x - side * 0.33, y: foot, turn: 6 + sway }),
    placed(drawSprig(colour), { x: x + side * 0.4, y: foot, turn: 14 - sway }),
    placed(drawSprig(shaded), { x: x + side * 0.33, y: foot, turn: -6 - sway }),
  )
}

/** Draws a stem of 230 units upwards from 0, 0, with four pairs of leaves. */
function drawSprig(colour: Colour): string {
  const leaves = [0, 1, 2, 3].map((i) => {
    const pair =
      outline`M4,${-40 - i * 46}q58,-8 66,-58q-56,4 -66,58Z` +
      outline`M2,${-60 - i * 46}q-58,-8 -66,-58q56,4 66,58Z`
    return path(pair, i & 1 ? colour : lighter(colour, 0.12))
  })
  return stroke('M0,0Q14,-110 0,-230', colour, 7) + leaves.join('')
}

/** Draws dots, crosses and rings, but none in front of the subject. */
function drawConfetti(view: View, { x, y, side, table }: EmblemLayout): string {
  const { detailSeed, palette } = view
  const clear = side * 0.46
  return lattice(view, { depth: 0, width: 210, height: 210, reach: 20 })
    .map((cell) => {
      const seed = detailSeed + cell.salt
      const chance = unit(seed, cell.column, cell.row)
      const dotX = cell.x + chance * 150
      const dotY = cell.y + unit(seed, cell.row, cell.column) * 150
      const isNear = (dotX - x) ** 2 + (dotY - y) ** 2 < clear ** 2
      if (!isInSight(view, 0, { x: dotX, y: dotY, reach: 20 })) return ''
      if (chance > 0.55 || isNear || (table !== undefined && dotY > table - 20)) return ''
      if (chance < 0.2) return circle(dotX, dotY, 8 + chance * 20, palette.accent)
      if (chance < 0.38) {
        return stroke(outline`M${dotX - 11},${dotY}h22M${dotX},${dotY - 11}v22`, palette.light, 6)
      }
      return ring(dotX, dotY, 12, palette.near, 5)
    })
    .join('')
}
