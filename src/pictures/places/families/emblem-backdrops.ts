import { between, type Colour } from '../colour.ts'
import { circle, insideCircle, outline, path } from '../shapes.ts'
import { layer, type View } from '../view.ts'

/** The positions of the parts of an emblem, in world units. */
export interface EmblemLayout {
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
export function drawRays({ palette, time }: View, { x, y, wall }: EmblemLayout): string {
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
export function drawArches({ palette, bottom }: View, { x, y, side }: EmblemLayout): string {
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
export function drawDisc(view: View, layout: EmblemLayout): string {
  const { x, y, radius } = discOf(layout)
  return layer(
    view,
    0.06,
    circle(x, y, layout.side * 0.4, between(layout.disc, layout.wall, 0.55)),
    circle(x, y, radius, layout.disc),
  )
}

/** Draws a sun and hills inside the disc. */
export function drawHillsInDisc(view: View, layout: EmblemLayout): string {
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
