import { between, type Colour } from '../colour.ts'
import { unit } from '../numbers.ts'
import { drawOutdoors } from '../../cast/outdoors.ts'
import { path, coniferPath, tallTreePath } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { drawRidge, ridgeHeight, tone, type Ridge } from '../terrain.ts'
import { cells, isHidden, layer, type View } from '../view.ts'

const LAYERS = 4
/** Includes rows below the frame, for a camera that zooms out. */
const maxLayers = 14

/** Draws four rows of trees around a clearing. The subject stands in the clearing. */
export function drawForest(view: View): string[] {
  const drawings = drawSky(view)
  for (let i = 0; i < maxLayers; i++) {
    const row = treeRow(view, i)
    if (row.ground.base - row.treeHeight > view.bottom + 60) break
    drawings.push(drawRow(view, row))
    if (i === 2) drawings.push(drawOutdoors(view, row.ground.base + 46))
  }
  return drawings
}

interface TreeRow {
  index: number
  depth: number
  ground: Ridge
  treeHeight: number
  colour: Colour
}

function treeRow(view: View, index: number): TreeRow {
  const { palette, terrainSeed, height, horizon } = view
  const isBelowTheFrame = index >= LAYERS
  return {
    index,
    depth: 0.25 + Math.min(index, 5) * 0.17,
    ground: {
      view,
      seed: terrainSeed + 30 + index,
      base: isBelowTheFrame
        ? height + 330 + (index - LAYERS) * 240
        : horizon + 10 + (index * (height - horizon)) / 3.3,
      amplitude: 40,
      wavelength: 300,
    },
    treeHeight: isBelowTheFrame ? 250 : ((230 + index * 105) * (height / 1000 + 1)) / 2,
    colour: isBelowTheFrame
      ? tone(palette, index, LAYERS)
      : between(between(palette.skyLow, palette.far, 0.62), palette.near, index / (LAYERS - 1)),
  }
}

function drawRow(view: View, row: TreeRow): string {
  const { palette, scene } = view
  const { index, depth, ground, colour } = row
  const isSnowy = scene.weather === 'snow' && index > 0
  const treeColour = isSnowy ? between(palette.ink, '#5d8794', Math.max(0, 0.75 - index * 0.16)) : colour
  const groundColour = isSnowy ? between(colour, palette.near, 0.5) : colour
  return layer(
    view,
    depth,
    isHidden(scene, 'trees') ? '' : path(treePaths(view, row), treeColour),
    drawRidge(view, depth, ground, groundColour),
  )
}

function treePaths(view: View, { index, depth, ground, treeHeight }: TreeRow): string {
  const { genes, terrainSeed } = view
  const isTall = genes.mode > 0.55 && index < LAYERS
  const clearing = clearingAt(view, index)
  const step = (genes.mode > 0.55 ? 100 : 66) + index * 40
  const reach = treeHeight * 0.8
  const top = isTall ? -Infinity : ground.base - ground.amplitude - treeHeight * 1.3
  return cells(view, { depth, step, reach, top })
    .map((cell) => {
      const seed = terrainSeed + cell.salt + index
      const chance = unit(seed, cell.index)
      const x = cell.x + chance * (30 + index * 16)
      const height = treeHeight * (0.72 + 0.5 * unit(seed, cell.index, 1))
      const isThinned = index >= 2 && chance < 0.22
      if (isThinned || Math.abs(x - clearing.middle) < clearing.half(height)) return ''
      const y = ridgeHeight(ground, x) + 16
      return isTall ? tallTreePath(x, y, height, chance) : coniferPath(x, y, height)
    })
    .join('')
}

/** The clearing in a row of trees: the two front rows leave space for the subject, or for a view into the forest. */
function clearingAt({ width, genes, scene }: View, index: number) {
  const half = index === 2 ? 190 : index === 3 ? width * 0.36 : 0
  return {
    middle: width * (scene.cast ? 0.36 + genes.subjectX * 0.28 : 0.42 + genes.subjectX * 0.16),
    half: (treeHeight: number) => half && half + treeHeight * 0.12,
  }
}
