import { drawOutdoors } from '../../cast/outdoors.ts'
import { between, darker, lighter, type Colour } from '../colour.ts'
import { unit, wave } from '../numbers.ts'
import { ellipse, outline, path, rect, ring, stroke, verticalGradient } from '../shapes.ts'
import { isInSight, lattice, layer, type View } from '../view.ts'

/** Draws shafts of light from above, weed on sand, and bubbles. */
export function drawUnderwater(view: View): string[] {
  const { palette, left, right, top, bottom, width, horizon } = view
  const deep = between(palette.near, '#0b3f5c', 0.35)
  const light = between(palette.skyTop, palette.skyLow, 0.25)
  const shafts = [0.12, 0.38, 0.63, 0.85].map((across, index) =>
    path(
      outline`M${width * across},${top - 10}h${90 + index * 14}L${width * across - 60},${bottom}h${-190}Z`,
      palette.light,
      { opacity: 0.07 },
    ),
  )
  return [
    verticalGradient('deep', top, bottom, [light, deep]),
    rect(left - 5, top - 5, right - left + 10, bottom - top + 10, 'url(#deep)'),
    shafts.join(''),
    layer(view, 0.1, drawSand(view, { y: horizon + 10, colour: darker(deep, 0.2), swell: 120 })),
    drawWeed(view, deep),
    drawSand(view, { y: horizon + 80, colour: between('#e2c58f', deep, 0.35), swell: 60 }),
    drawOutdoors(view, horizon + 110),
    drawBubbles(view, lighter(light, 0.3)),
    ellipse(width * 0.5, top, width * 0.4, 20, palette.light, { opacity: 0.15 }),
  ]
}

function drawSand(
  { left, right, bottom, width }: View,
  { y, colour, swell }: { y: number; colour: Colour; swell: number },
): string {
  const shape =
    outline`M${left - 10},${bottom + 10}V${y}Q${width * 0.25},${y - swell} ${width * 0.5},${y}` +
    outline`T${right + 10},${y - 10}V${bottom + 10}Z`
  return path(shape, colour)
}

function drawWeed(view: View, deep: Colour): string {
  const { palette, width, horizon, detailSeed, time } = view
  return Array.from({ length: 9 }, (_, index) => {
    const x = width * (0.03 + 0.94 * unit(detailSeed, index))
    if (Math.abs(x - width * 0.5) < 190) return ''
    const height = 90 + 190 * unit(detailSeed, index, 2)
    const sway = 16 * wave(time * 1.4 + index * 0.3)
    const blade =
      outline`M${x},${horizon + 90}q${-34},${-height * 0.3} ${sway},${-height * 0.55}` +
      outline`t${sway},${-height * 0.45}`
    return stroke(blade, index % 3 ? darker(deep, 0.25) : between(palette.accent, deep, 0.55), 16)
  }).join('')
}

function drawBubbles(view: View, colour: Colour): string {
  const { detailSeed, height, time } = view
  const grid = { depth: 0, width: 240, height: 210, top: 0, bottom: height * 0.8, reach: 20 }
  return lattice(view, grid)
    .map(({ column, row, x, y, salt }) => {
      const size = unit(detailSeed + salt + 3, column, row)
      const place = { x: x + size * 300, y: y + unit(detailSeed, row, column) * 150 - 120 * time, reach: 40 }
      if (size > 0.5 || !isInSight(view, 0, place)) return ''
      return ring(place.x, place.y, 8 + size * 26, colour, 4, { opacity: 0.6 })
    })
    .join('')
}
