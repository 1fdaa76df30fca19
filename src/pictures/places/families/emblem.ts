import { drawOnEmblem, standsOnTable } from '../../cast/on-emblem.ts'
import { findIcon } from '../../data/subjects.ts'
import { between, darker, distance, lighter, luminance, type Colour } from '../colour.ts'
import { unit, wave } from '../numbers.ts'
import { shortSide, isInSight, lattice, layer, type View } from '../view.ts'
import { circle, outline, path, placed, rect, ring, stroke, insideCircle } from '../shapes.ts'

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

/** The positions of the parts of an emblem, in world units. */
interface EmblemLayout {
  x: number
  y: number
  /** The short side of the frame. */
  side: number
  /** Half the height of the subject. */
  size: number
  /** The edge of the table, if the subject stands on one. */
  table?: number
  wall: Colour
  disc: Colour
}

const RAYS = 24
/** Reaches beyond the corners of any frame. */
const RAY_LENGTH = 4000

/** Draws rays from the middle, which turn slowly. */
function drawRays({ palette, time }: View, { x, y, wall }: EmblemLayout): string {
  // A point on a ray. Rounded to whole numbers, because the last bits of cosines differ between engines.
  function point(angle: number): string {
    return outline`L${x + RAY_LENGTH * Math.cos(angle)},${y + RAY_LENGTH * Math.sin(angle)}`
  }
  const rays = Array.from({ length: RAYS }, (_, i) => {
    const start = ((i + time * 0.5) * 2 * Math.PI) / RAYS
    return `${outline`M${x},${y}`}${point(start)}${point(start + Math.PI / RAYS)}Z`
  })
  return path(rays.join(''), between(wall, palette.light, 0.3))
}

/** Draws four nested arches. */
function drawArches({ palette, bottom }: View, { x, y, side }: EmblemLayout): string {
  const colours = [
    between(palette.far, palette.skyLow, 0.3),
    between(palette.sun, palette.light, 0.2),
    between(palette.far, palette.light, 0.1),
    palette.accent,
  ]
  const arches = colours.map((colour, i) => {
    const radius = side * 0.135 * (5.35 - i)
    const data =
      outline`M${x - radius},${bottom + 10}V${y}` +
      outline`A${radius},${radius} 0 0 1 ${x + radius},${y}V${bottom + 10}Z`
    return path(data, colour)
  })
  return arches.join('')
}

/** Draws a disc with a pale rim. */
function drawDisc(view: View, layout: EmblemLayout): string {
  const { x, y, radius } = discOf(layout)
  return layer(
    view,
    0.06,
    circle(x, y, layout.side * 0.4, between(layout.disc, layout.wall, 0.55)),
    circle(x, y, radius, layout.disc),
  )
}

/** Draws a sun and hills inside the disc. */
function drawHillsInDisc(view: View, layout: EmblemLayout): string {
  const { palette, time } = view
  const { x, y, side, disc } = layout
  const window = discOf(layout)
  const hills = [0, 1, 2].map((i) => {
    const data =
      outline`M${x - side * 0.4 - 30 * time * i},${y + side * 0.4}V${y + side * (0.02 + i * 0.1)}` +
      outline`q${side * 0.2},${-side * (0.16 - i * 0.05)} ${side * 0.4},0` +
      outline`t${side * 0.46},0V${y + side * 0.4}Z`
    return path(data, between(between(palette.far, disc, 0.35), palette.near, i * 0.3))
  })
  const sun = circle(x + side * 0.15, y - side * 0.17, side * 0.07, palette.accent)
  return layer(view, 0.08, insideCircle('disc', window.x, window.y, window.radius, sun + hills.join('')))
}

function discOf({ x, y, side, size }: EmblemLayout): { x: number; y: number; radius: number } {
  return { x, y: y - size * 0.05, radius: side * 0.345 }
}
