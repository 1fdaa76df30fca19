import { between, darker, lighter, type Colour } from '../colour.ts'
import { mix, unit, valueNoise, wave } from '../numbers.ts'
import { drawOutdoors } from '../../cast/outdoors.ts'
import { boxPath, ellipsePath, outline, path, pillPath, rect } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { cells, layer, type RowCell, type View } from '../view.ts'

/** Draws three rows of towers behind a street. The subject stands in the street. */
export function drawCity(view: View): string[] {
  const street = view.horizon + 130
  return [
    ...drawSky(view),
    ...ROWS.map((row) => drawTowers(view, row)),
    drawStreet(view, street),
    isWet(view) ? drawReflections(view, street) : drawLaneMarks(view, street),
    drawOutdoors(view, street + (view.height - street) * 0.45),
  ]
}

interface Row {
  index: number
  depth: number
  /** The distance between towers. */
  step: number
  /** The height of the highest tower, as a fraction of the frame. */
  height: number
  windowOpacity: number
}

const ROWS: Row[] = [
  { index: 0, depth: 0.22, step: 74, height: 0.46, windowOpacity: 0.45 },
  { index: 1, depth: 0.42, step: 104, height: 0.38, windowOpacity: 0.7 },
  { index: 2, depth: 0.66, step: 150, height: 0.27, windowOpacity: 0.92 },
]

/** One tower, in whole units. */
interface Tower {
  cell: number
  salt: number
  x: number
  top: number
  width: number
  /** A hash below 7, which determines roof, wall and window colour. */
  kind: number
}

const ACCENT_WINDOWS = 5

function drawTowers(view: View, row: Row): string {
  const { palette, isNight, bottom } = view
  const walls = { plain: '', shaded: '' }
  const windows = { warm: '', accent: '' }
  for (const cell of cells(view, row)) {
    const tower = towerAt(view, row, cell)
    const body = boxPath(tower.x, tower.top, tower.width, bottom + 10 - tower.top)
    walls[tower.kind & 1 ? 'plain' : 'shaded'] += body + roofPath(tower)
    windows[tower.kind === ACCENT_WINDOWS && isNight ? 'accent' : 'warm'] += windowPaths(view, row, tower)
  }
  const colour = wallColour(view, row)
  const opacity = row.windowOpacity
  return layer(
    view,
    row.depth,
    path(walls.plain, colour),
    path(walls.shaded, isNight ? lighter(colour, 0.05) : darker(colour, 0.07)),
    path(windows.warm, lightColour(view), { opacity }),
    path(windows.accent, palette.accent, { opacity }),
  )
}

function towerAt(view: View, row: Row, { index: cell, x, salt }: RowCell): Tower {
  const seed = view.terrainSeed + salt + row.index
  // Slow noise concentrates high towers in a downtown.
  const crowd = 0.55 + 0.6 * valueNoise(view.terrainSeed + 50 + row.index, cell / 4)
  const height = view.height * row.height * (0.35 + 0.75 * unit(seed, cell) * crowd) + 40
  return {
    cell,
    salt,
    x,
    top: Math.round(view.horizon + 20 - height + row.index * 46),
    width: Math.round(row.step * (0.8 + 0.19 * unit(seed, cell, 2))),
    kind: mix(seed, cell, 3) % 7,
  }
}

function roofPath({ x, top, width, kind }: Tower): string {
  const middle = x + width / 2
  switch (kind) {
    case 1: // a spire
      return (
        outline`M${x},${top}L${middle},${top - width * 0.6}L${x + width},${top}Z` +
        boxPath(middle - 2, top - width, 4, width)
      )
    case 2: // an antenna on a box
      return boxPath(x + width * 0.2, top - 26, width * 0.6, 27) + boxPath(middle - 2, top - 76, 4, 52)
    case 3: // a slope
      return outline`M${x},${top + 1}v${-width * 0.3}l${width},${width * 0.3}Z`
    case 4: // a dome
      return ellipsePath(middle, top, width / 2, width * 0.34)
    case 6: // steps
      return (
        boxPath(x + width * 0.14, top - 30, width * 0.72, 31) +
        boxPath(x + width * 0.3, top - 54, width * 0.4, 25)
      )
    default:
      return ''
  }
}

function windowPaths(view: View, row: Row, { cell, salt, x, top, width }: Tower): string {
  const { terrainSeed, horizon, isNight, fast, time } = view
  const seed = terrainSeed + salt + row.index
  const pitch = 20 + row.index * 5
  const columns = Math.floor((width - 14) / pitch)
  const lowest = horizon + 40 + row.index * 40
  const rows = Math.min(fast ? 8 : 22, Math.floor((lowest - top - 16) / (pitch * 1.35)) + 1)
  const share = isNight ? 0.5 : 0.3
  let windows = ''
  for (let column = 0; column < columns; column++) {
    const phase = unit(terrainSeed, cell, column)
    const isSwitched = isNight && wave(time + phase) > 0.9 && wave(phase) <= 0.9
    for (let floor = 0; floor < rows; floor++) {
      if (unit(seed, cell * 31 + column, floor + (isSwitched ? 1 : 0)) >= share) continue
      const windowY = top + 16 + floor * pitch * 1.35
      windows += boxPath(x + 9 + column * pitch, windowY, pitch * 0.52, pitch * 0.72)
    }
  }
  return windows
}

function wallColour({ palette }: View, { index }: Row): Colour {
  if (index === 0) return between(palette.skyLow, palette.far, 0.6)
  if (index === 1) return between(palette.far, palette.near, 0.35)
  return between(palette.near, palette.far, 0.12)
}

function lightColour({ palette, isNight }: View): Colour {
  return isNight ? between(palette.accent, '#ffe3a0', 0.45) : between(palette.light, palette.skyLow, 0.3)
}

function isWet({ scene, isNight }: View): boolean {
  return isNight || scene.weather === 'rain' || scene.weather === 'storm'
}

function drawStreet(view: View, street: number): string {
  const { left, right, bottom, palette } = view
  const width = right - left + 900
  const depth = Math.max(10, bottom + 10 - street)
  return layer(
    view,
    0.8,
    rect(left - 300, street, width, depth, between(palette.ink, palette.near, 0.5)),
    rect(left - 300, street, width, 10, between(palette.near, palette.light, 0.25)),
  )
}

function drawReflections(view: View, street: number): string {
  const { detailSeed, height, palette } = view
  const depth = height - street
  let drawing = ''
  for (let i = 0; i < 5; i++) {
    let warm = ''
    let accent = ''
    for (const { index, x, salt } of cells(view, { depth: 0.8, step: 74, reach: 90, top: street })) {
      const chance = unit(detailSeed + salt, index, i + 40)
      if (chance >= 0.5) continue
      const y = street + 22 + (i * depth) / 5 + chance * 20
      const bar = pillPath(x + chance * 60, y, 22 + chance * 90, 5)
      if (chance < 0.25) accent += bar
      else warm += bar
    }
    const opacity = 0.75 - i * 0.1
    drawing += path(accent, palette.accent, { opacity }) + path(warm, lightColour(view), { opacity })
  }
  return layer(view, 0.8, drawing)
}

function drawLaneMarks(view: View, street: number): string {
  const { detailSeed, height, palette } = view
  const y = street + 60 + (height - street) * 0.35
  const marks = cells(view, { depth: 0.8, step: 74, top: street })
    .filter(({ index, salt }) => unit(detailSeed + salt, index) < 0.5)
    .map(({ x }) => pillPath(x, y, 46, 8))
    .join('')
  return layer(view, 0.8, path(marks, palette.light, { opacity: 0.5 }))
}
