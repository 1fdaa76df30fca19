import { between } from './colour.ts'
import { unit, wave } from './numbers.ts'
import { hasCastOnGround } from '../cast/outdoors.ts'
import { subjectX, cells, type GridCell, isInSight, lattice, layer, type View } from './view.ts'
import { circle, outline, path, pillPath, placed } from './shapes.ts'

/** A depth below 0 moves in the opposite direction to the layers of the land. */
const WITH_THE_WIND = -2.2

function drawLeaves(view: View): string {
  const { detailSeed, palette, time, height, horizon } = view
  const air = { depth: WITH_THE_WIND, width: 260, height: 150, top: horizon * 0.5, bottom: height, reach: 80 }
  const leaf = path('M-14,0Q0,-15 16,0Q0,13 -14,0Z', palette.accent)
  const leaves = lattice(view, air).map(({ column, row, x, y, salt }) => {
    const chance = unit(detailSeed + salt + 34, column, row)
    if (chance > 0.32) return ''
    const place = {
      x: x + chance * 700,
      y: y + unit(detailSeed + salt + 35, column, row) * 130 + 24 * wave(time * 2 + chance * 3),
    }
    if (!isInSight(view, air.depth, { ...place, reach: 40 })) return ''
    return placed(leaf, { ...place, turn: chance * 900 + 360 * time, scale: 0.7 + chance * 1.6 })
  })
  return layer(view, air.depth, ...leaves)
}

/** Draws the weather in front of a picture, except in space. */
export function drawWeather(view: View): string[] {
  if (view.scene.family === 'space') return []
  switch (view.scene.weather) {
    case 'rain':
      return [drawRain(view)]
    case 'storm':
      return [drawLightning(view), drawRain(view)]
    case 'snow':
      return [drawSnow(view)]
    case 'fog':
      return drawFog(view)
    case 'wind':
      return [drawLeaves(view)]
    default:
      return []
  }
}

/** The cells of a lattice that moves down. */
function fallingCells(
  view: View,
  { fall, ...grid }: { width: number; height: number; fall: number; reach?: number },
): GridCell[] {
  const above = { ...view, top: view.top - fall, bottom: view.bottom - fall }
  return lattice(above, { depth: 0, ...grid }).map((cell) => ({ ...cell, y: cell.y + fall }))
}

function drawRain(view: View): string {
  const { detailSeed, palette, time } = view
  let heavy = ''
  let light = ''
  for (const { column, row, x, y, salt } of fallingCells(view, {
    width: 72,
    height: 120,
    fall: time * 1900,
  })) {
    const chance = unit(detailSeed + salt + 11, column, row)
    if (chance >= 0.55) continue
    const isHeavy = chance < 0.3
    const thickness = isHeavy ? 4 : 2
    const dropY = y + unit(detailSeed + salt + 12, column, row) * 115
    // A drop left or right of the frame shares pixel rows with visible ones, so it is drawn; see `isInSight`.
    if (dropY + 90 < view.top || dropY > view.bottom + 1) continue
    const drop =
      outline`M${x + chance * 104},${dropY}h${thickness}` +
      outline`l${-8 - chance * 12},${34 + chance * 50}h${-thickness}Z`
    if (isHeavy) heavy += drop
    else light += drop
  }
  return path(heavy, palette.light, { opacity: 0.62 }) + path(light, palette.light, { opacity: 0.45 })
}

function drawLightning(view: View): string {
  const { horizon, palette, time } = view
  const bolt =
    outline`M${view.sun.x},${horizon * 0.24}l-60,${horizon * 0.3}h44l-52,${horizon * 0.36}` +
    outline`l130,${-horizon * 0.44}h-48l54,${-horizon * 0.22}Z`
  const isBright = wave(time * 3 + 0.1) > -0.2
  return layer(view, 0.1, path(bolt, isBright ? '#fff3b0' : between(palette.accent, palette.skyLow, 0.6)))
}

function drawSnow(view: View): string {
  const { detailSeed, time } = view
  return fallingCells(view, { width: 92, height: 92, fall: time * 330 })
    .map(({ column, row, x, y, salt }) => {
      const chance = unit(detailSeed + salt + 21, column, row)
      if (chance >= 0.5) return ''
      const flakeX = x + chance * 150 + 14 * wave(time * 2 + chance)
      const flakeY = y + unit(detailSeed + salt + 22, column, row) * 80
      if (!isInSight(view, 0, { x: flakeX, y: flakeY, reach: 6 })) return ''
      return circle(flakeX, flakeY, 2.5 + chance * 7, '#ffffff', { opacity: chance < 0.35 ? 0.95 : 0.7 })
    })
    .join('')
}

/** Draws fog banks in four rows, nearer ones lower. */
function drawFog(view: View): string[] {
  const { height, horizon, palette } = view
  return [0, 1, 2, 3].map((row) => {
    const depth = 0.4 + row * 0.2
    const top = horizon - 50 + (row * (height - horizon)) / 3.6
    const banks = fogBankPaths(view, { row, depth, top })
    return layer(view, depth, path(banks, palette.skyLow, { opacity: 0.3 }))
  })
}

/** The paths of fog banks, each of two bars with round ends. All but the lowest row leave the face of a subject clear. */
function fogBankPaths(view: View, { row, depth, top }: { row: number; depth: number; top: number }): string {
  const { detailSeed, time } = view
  const thickness = 38 + row * 7
  const clear = row < 3 && hasCastOnGround(view) ? subjectX(view) : undefined
  let banks = ''
  for (const cell of cells(view, { depth, step: 560, reach: 620, top: top - 10 })) {
    const chance = unit(detailSeed + cell.salt + row, cell.index)
    const length = 300 + chance * 340
    const start = cell.x + chance * 200
    const middle = start + length / 2
    if (clear !== undefined && Math.abs(middle - clear) < length * 0.7 + 160) continue
    const x = start + 60 * time
    banks +=
      pillPath(x, top, length, thickness) +
      pillPath(x + length * (0.3 - chance * 0.5), top + thickness - 1, length * 0.8, thickness * 0.8)
  }
  return banks
}
