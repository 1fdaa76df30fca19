import { drawFigure } from '../../cast/attached.ts'
import { between } from '../colour.ts'
import { mix, unit } from '../numbers.ts'
import { circle, outline, path, placed, rect, ring, stroke } from '../shapes.ts'
import { isInSight, lattice, layer, type View } from '../view.ts'

/** How many subjects are side by side in the frame. It is even, because every other column is shifted by half. */
const COLUMNS = 4

/**
 * Draws the subject repeatedly on a plain wall, with small shapes between. The pattern repeats at the edges of the frame,
 * so pictures can be tiled.
 */
export function drawWallpaper(view: View): string[] {
  const { left, top, right, bottom, palette } = view
  const wall = between(palette.skyTop, palette.skyLow, 0.45)
  return [rect(left - 5, top - 5, right - left + 10, bottom - top + 10, wall), drawRepeats(view)]
}

function drawRepeats(view: View): string {
  const { scene, palette, width, height, genes, detailSeed } = view
  const [member] = scene.cast ?? []
  const rows = Math.max(1, Math.round((height / width) * COLUMNS))
  const cell = { width: width / COLUMNS, height: height / rows }
  const half = Math.min(cell.width, cell.height) / 2
  const disc = between(palette.sun, palette.light, 0.3)
  const figure = member
    ? drawFigure(view, member, 200, { isOutdoors: genes.mode > 0.5 && !member.letters })
    : ''
  const subject = `<g transform="translate(0,100)">${figure}</g>`
  const drawing = lattice(view, { depth: 0.2, ...cell, reach: half })
    .map(({ column, row, x, y, salt }) => {
      // Depends only on the position within the frame, so that adjacent frames look the same.
      const kind = [((column % COLUMNS) + COLUMNS) % COLUMNS, ((row % rows) + rows) % rows] as const
      const hash = mix(detailSeed, ...kind)
      const dropped = y + (column & 1 ? cell.height / 2 : 0)
      const middle = { x: x + cell.width / 2, y: dropped + cell.height / 2 }
      if (!isInSight(view, 0.2, { ...middle, reach: half * 2 })) return ''
      const turn = (unit(hash, 1) - 0.5) * 24 + 4 * view.time
      const scale = (half / 100) * (0.62 + 0.1 * unit(hash, 2))
      return (
        circle(middle.x, middle.y, half * 0.86, disc, { opacity: genes.size > 0.5 ? 0.9 : 0.35 }) +
        placed(subject, { ...middle, scale, turn }) +
        drawBetween(view, {
          x: middle.x,
          y: dropped,
          hash: salt ? mix(salt, ...kind) : hash,
          size: half * 0.12,
        })
      )
    })
    .join('')
  return layer(view, 0.2, drawing)
}

/** Draws a dot, a ring, a cross or a leaf. */
function drawBetween(
  { palette }: View,
  { x, y, hash, size }: { x: number; y: number; hash: number; size: number },
): string {
  switch (hash & 3) {
    case 0:
      return circle(x, y, size * 0.8, palette.accent)
    case 1:
      return ring(x, y, size * 0.8, palette.near, size * 0.4)
    case 2:
      return stroke(
        outline`M${x - size},${y}h${2 * size}M${x},${y - size}v${2 * size}`,
        palette.light,
        size * 0.5,
      )
    default:
      return placed(path('M-14,0Q0,-15 16,0Q0,13 -14,0Z', palette.accent), {
        x,
        y,
        scale: size / 12,
        turn: hash % 360,
      })
  }
}
