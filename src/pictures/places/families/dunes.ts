import { between } from '../colour.ts'
import { unit } from '../numbers.ts'
import { drawOutdoors } from '../../cast/outdoors.ts'
import { outline, path } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { drawRidge, tone, type Ridge } from '../terrain.ts'
import { cells, layer, type View } from '../view.ts'

const LAYERS = 4
/** Includes layers below the frame, for a camera that zooms out. */
const maxLayers = 18

/** Draws dunes with a bright edge. Some pictures have pyramids behind them. */
export function drawDunes(view: View): string[] {
  const drawings = drawSky(view)
  if (view.genes.mode > 0.4) drawings.push(drawPyramids(view))
  for (let i = 0; i < maxLayers; i++) {
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
