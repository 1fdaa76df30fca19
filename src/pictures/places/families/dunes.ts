import { between, darker, type Colour } from '../colour.ts'
import { unit } from '../numbers.ts'
import { drawOutdoors, hasCastOnGround } from '../../cast/outdoors.ts'
import { subjectX } from '../../composition/placing.ts'
import { circle, outline, path, placed, stroke } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { drawRidge, ridgeHeight, tone, type Ridge } from '../terrain.ts'
import { cells, isInSight, layer, type View } from '../view.ts'

const LAYERS = 4
/** Below the frame there are more of them, which a camera that backs away finds. */
const MOST_LAYERS = 18

/** Dunes with a bright edge, cacti, and pyramids behind them in some. */
export function drawDunes(view: View): string[] {
  const drawings = drawSky(view)
  if (view.genes.mode > 0.4) drawings.push(drawPyramids(view))
  for (let i = 0; i < MOST_LAYERS; i++) {
    const dune = duneRidge(view, i)
    if (dune.base - dune.amplitude > view.bottom) break
    const depth = 0.36 + Math.min(i, 5) * 0.14
    const colour = tone(view.palette, i, LAYERS)
    const slope = { ...dune, base: dune.base + 34 + i * 10, amplitude: dune.amplitude * 0.72 }
    drawings.push(
      layer(
        view,
        depth,
        drawRidge(view, depth, dune, colour),
        drawRidge(view, depth, slope, between(colour, view.palette.near, 0.22)),
        i === 1 || i > 2 ? drawCacti(view, { dune, index: i, depth }) : '',
      ),
    )
    if (i === 2) drawings.push(drawOutdoors(view, dune.base + 10))
  }
  return drawings
}

function duneRidge(view: View, index: number): Ridge {
  const { terrainSeed, horizon, height } = view
  return {
    view,
    seed: terrainSeed + index * 7,
    base: horizon + 70 + (index * (height - horizon)) / 3.4,
    amplitude: 130 + index * 18,
    wavelength: 560 + index * 60,
  }
}

function drawPyramids(view: View): string {
  const { detailSeed, horizon, palette } = view
  const ground = horizon + 60
  let lit = ''
  let shaded = ''
  for (const cell of cells(view, { depth: 0.3, step: 620, reach: 420 })) {
    const chance = unit(detailSeed + cell.salt, cell.index, 8)
    const size = 130 + chance * 150
    const x = cell.x + chance * 260
    const top = outline`M${x},${horizon + 30 - size}L${x + size},${ground}`
    lit += top + outline`L${x - size},${ground}Z`
    shaded += top + outline`L${x + size * 0.25},${ground}Z`
  }
  return layer(
    view,
    0.3,
    path(lit, between(palette.far, palette.skyLow, 0.35)),
    path(shaded, between(palette.far, palette.near, 0.35)),
  )
}

function drawCacti(
  view: View,
  { dune, index, depth }: { dune: Ridge; index: number; depth: number },
): string {
  const { detailSeed, palette } = view
  const drawing = drawCactus(darker(between(palette.accent, '#3f8f62', 0.6), 0.15), palette.accent)
  const isBelowTheFrame = index > LAYERS
  const clearing = hasCastOnGround(view) ? 170 : 0
  return cells(view, { depth, step: 360, reach: 260, top: dune.base - dune.amplitude - 250 })
    .map((cell) => {
      const chance = unit(detailSeed + cell.salt + index, cell.index)
      // Below the frame they are fewer and in disorder, or they would stand in ranks.
      if (chance >= (isBelowTheFrame ? 0.24 : 0.45)) return ''
      const x = cell.x + 90 + (isBelowTheFrame ? (unit(detailSeed + index, cell.index, 4) - 0.5) * 300 : 0)
      if (Math.abs(x - subjectX(view)) < clearing) return ''
      const y = ridgeHeight(dune, x) - 18 - index * 12
      if (!isInSight(view, depth, { x, y, reach: 180 })) return ''
      return placed(drawing, { x, y, scale: 0.3 + Math.min(index, 5) * 0.13 })
    })
    .join('')
}

/** In a box of -100..100, standing on y = 100. */
function drawCactus(colour: Colour, flower: Colour): string {
  return [
    stroke('M-52,-10L-52,24Q-52,44 0,44M54,-34L54,0Q54,18 0,18', colour, 26),
    stroke('M0,-66L0,100', colour, 42),
    stroke('M8,-66L8,96M-8,-60L-8,96', darker(colour, 0.2), 3),
    circle(0, -92, 11, flower),
    circle(-52, -28, 8, flower),
  ].join('')
}
