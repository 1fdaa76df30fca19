import { unit } from '../numbers.ts'
import { circle, outline, path, placed, rect, ring } from '../shapes.ts'
import { isInSight, layer, saltOf, type View } from '../view.ts'
import { pickedColour } from './abstract-colours.ts'

/** How many small shapes lie in the frame, and how many in all. */
const NEAR_SHAPES = 16
const ALL_SHAPES = 44

/** A big circle crossed by a bar, among small shapes, after Kandinsky. */
export function drawCircles(view: View): string[] {
  return [...Array.from({ length: ALL_SHAPES }, (_, i) => drawSmallShape(view, i)), drawBigCircle(view)]
}

function drawSmallShape(view: View, index: number): string {
  const { width, height, detailSeed, time } = view
  const spread = index < NEAR_SHAPES ? 1 : 2.6
  const x = width / 2 + (unit(detailSeed, index) - 0.5) * width * spread
  const y = height / 2 + (unit(detailSeed, index, 1) - 0.5) * height * spread
  const size = 18 + unit(detailSeed, index, 2) * 80
  const reach = size * 2.7
  const salt = saltOf(view, { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach })
  const depth = 0.2 + unit(detailSeed, index, 5) * 0.8
  if (!isInSight(view, depth, { x, y, reach })) return ''
  const colour = pickedColour(view, detailSeed + salt, index, 3)
  const turn = Math.round(unit(detailSeed + salt, index, 4) * 180 + 20 * time)
  switch (index % 4) {
    case 0:
      return layer(view, depth, circle(x, y, size, colour))
    case 1:
      return layer(view, depth, ring(x, y, size, colour, 9))
    case 2:
      return layer(view, depth, placed(rect(-size * 2.6, -8, size * 5.2, 16, colour), { x, y, turn }))
    default:
      return layer(
        view,
        depth,
        placed(path(outline`M0,${-size}L${size},${size}H${-size}Z`, colour), { x, y, turn }),
      )
  }
}

function drawBigCircle(view: View): string {
  const { width, height, genes, palette, time } = view
  const x = width * (0.36 + 0.28 * genes.sunX)
  const y = height * (0.36 + 0.2 * genes.sunY)
  const radius = 215 + genes.size * 70
  const bowl = radius * 1.7
  const crossing =
    path(outline`M${-bowl},0A${bowl},${bowl} 0 0 0 ${bowl},0Z`, palette.far, { opacity: 0.78 }) +
    rect(-radius * 2.4, -12, radius * 4.8, 24, palette.ink)
  return layer(
    view,
    0.5,
    circle(x, y, radius, palette.accent),
    circle(x, y, radius * 0.62, palette.sun),
    circle(x, y, radius * 0.3, palette.near),
    placed(crossing, { x, y, turn: genes.flip * 180 - 20 * time }),
  )
}
