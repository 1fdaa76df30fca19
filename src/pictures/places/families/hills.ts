import { between, darker, type Colour } from '../colour.ts'
import { unit, valueNoise } from '../numbers.ts'
import { drawOutdoors, hasCastOnGround } from '../../cast/outdoors.ts'
import { subjectX, cells, isHidden, layer, type View } from '../view.ts'
import { path, coniferPath, roundTreePaths } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { drawRidge, ridgeHeight, tone, type Ridge } from '../terrain.ts'

const LAYERS = 5
/** Includes hills below the frame, for a camera that zooms out. */
const maxLayers = 19

/** Draws angular mountains and rolling hills with trees. The subject stands on the third hill. */
export function drawHills(view: View): string[] {
  const drawings = [...drawSky(view), ...drawMountains(view)]
  for (let i = 0; i < maxLayers; i++) {
    const hill = hillRidge(view, i)
    if (hill.base - hill.amplitude > view.bottom) break
    const depth = 0.36 + Math.min(i, 5) * 0.13
    const colour = tone(view.palette, i, LAYERS)
    const hasTrees = i > 0 && !isHidden(view.scene, 'trees')
    const trees = hasTrees ? drawTrees(view, { hill, index: i, depth, colour: darker(colour, 0.2) }) : ''
    drawings.push(layer(view, depth, trees, drawRidge(view, depth, hill, colour)))
    if (i === 2) drawings.push(drawOutdoors(view, ridgeHeight(hill, subjectX(view)) + 84))
  }
  return drawings
}

function hillRidge(view: View, index: number): Ridge {
  const { terrainSeed, horizon, height } = view
  return {
    view,
    seed: terrainSeed + 100 + index,
    base: horizon + 50 + (index * (height - horizon)) / 3.7,
    amplitude: 90 + index * 14,
    wavelength: 420 + index * 70,
  }
}

function drawMountains(view: View): string[] {
  const { palette, height, horizon, terrainSeed, genes } = view
  const rows = [
    {
      seed: terrainSeed,
      base: horizon + 20,
      amplitude: height * 0.3,
      wavelength: 330,
      air: 0.55,
      depth: 0.2,
    },
    {
      seed: terrainSeed + 40,
      base: horizon + 40,
      amplitude: height * 0.17,
      wavelength: 240,
      air: 0.85,
      depth: 0.28,
    },
  ]
  return rows.slice(0, genes.mode < 0.66 ? 2 : 1).map(({ air, depth, ...ridge }) => {
    const colour = between(palette.skyLow, palette.far, air)
    return layer(view, depth, drawRidge(view, depth, { view, ...ridge }, colour, 'angular'))
  })
}

/** Draws groves along a hill: conifers or round trees, under snow always conifers. */
function drawTrees(
  view: View,
  { hill, index, depth, colour }: { hill: Ridge; index: number; depth: number; colour: Colour },
): string {
  const { detailSeed, genes, palette, scene } = view
  const isSnowy = scene.weather === 'snow'
  const isConifer = isSnowy || genes.detail > 0.45
  const clearing = hasCastOnGround(view) && (index === 2 || index === 3) ? 170 : 0
  let trunks = ''
  let crowns = ''
  const top = hill.base - hill.amplitude - 70 * (1 + index * 0.42)
  for (const cell of cells(view, { depth, step: 64 + index * 22, reach: 100, top })) {
    const seed = detailSeed + cell.salt + index
    const chance = unit(seed, cell.index)
    const x = cell.x + chance * 60
    const isBare = chance > 0.5 || valueNoise(detailSeed + 70 + index, cell.x / 400) < 0.34
    if (isBare || Math.abs(x - subjectX(view)) < clearing) continue
    const height = (34 + unit(seed, cell.index, 2) * 34) * (1 + index * 0.42)
    const y = ridgeHeight(hill, x) + 12
    const { trunk, crown } = isConifer
      ? { trunk: '', crown: coniferPath(x, y, height) }
      : roundTreePaths(x, y, height)
    trunks += trunk
    crowns += crown
  }
  const crownColour = isSnowy ? between(palette.ink, '#4e7f8c', Math.max(0, 0.6 - index * 0.08)) : colour
  return path(trunks, darker(crownColour, 0.35)) + path(crowns, crownColour)
}
