import { drawAtSea } from '../../cast/at-sea.ts'
import { between } from '../colour.ts'
import { unit, wave } from '../numbers.ts'
import { outline, path, rect, verticalGradient } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { cells, isInSight, layer, span, type View } from '../view.ts'

/** Rows of waves, including some below the frame for a camera that zooms out. */
const maxWaves = 18
/** The row behind which the subject floats. */
const subjectRow = 3

/** Draws water under a low sun, with its path of light, headlands and scalloped waves. */
export function drawSea(view: View): string[] {
  const drawings = [
    ...drawSky(view),
    drawHeadlands(view),
    drawWater(view),
    view.isSunny ? drawSunPath(view) : '',
  ]
  for (let i = 0; i < maxWaves; i++) {
    const row = waveRow(view, i)
    if (row.y - row.crest * 2 > view.bottom) break
    if (i === subjectRow) drawings.push(drawAtSea(view, row))
    if (row.y > view.bottom + 1) continue
    drawings.push(drawWaves(view, row), drawRocks(view, row), view.fast ? '' : drawGlints(view, row))
  }
  return drawings
}

interface WaveRow {
  index: number
  y: number
  depth: number
  crest: number
  wavelength: number
  /** How far the swell has moved the row. */
  shift: number
}

function waveRow({ height, horizon, terrainSeed, time }: View, index: number): WaveRow {
  return {
    index,
    y: horizon + 60 + index * index * 10 + (index * (height - horizon)) / 6.5,
    depth: 0.3 + Math.min(index, 6) * 0.13,
    crest: 12 + index * 6,
    wavelength: 96 + index * 44,
    shift: unit(terrainSeed, index) * 500 + 24 * wave(time + index * 0.2),
  }
}

function drawHeadlands(view: View): string {
  const { detailSeed, horizon, palette } = view
  const hills = cells(view, { depth: 0.22, step: 900, reach: 240 })
    .map((cell) => {
      const chance = unit(detailSeed + cell.salt, cell.index, 20)
      if (chance > 0.7) return ''
      const length = 260 + chance * 420
      const x = cell.x + chance * 400
      const foot = horizon + 4
      return (
        outline`M${x},${foot}Q${x + length * 0.3},${horizon - 60 - chance * 120}` +
        outline` ${x + length * 0.5},${horizon - 50}T${x + length},${foot}Z`
      )
    })
    .join('')
  return layer(view, 0.22, path(hills, between(palette.skyLow, palette.far, 0.7)))
}

function drawWater(view: View): string {
  const { left, right, bottom, height, horizon, palette } = view
  const gradient = verticalGradient('water', horizon, height, [
    between(palette.far, palette.skyLow, 0.25),
    between(palette.far, palette.near, 0.75),
  ])
  const depth = Math.max(5, bottom + 10 - horizon)
  return gradient + rect(left - 5, horizon, right - left + 10, depth, 'url(#water)')
}

function drawSunPath(view: View): string {
  const { detailSeed, horizon, palette, sun, time } = view
  const bars = Array.from({ length: 13 }, (_, i) => {
    const half = sun.radius * (1.1 + i * 0.1) * (0.5 + unit(detailSeed, i, 31))
    const x = sun.x - half + (unit(detailSeed, i, 30) - 0.5) * 60 + 7 * wave(time * 2 + i * 0.23)
    const y = horizon + 14 + i * (14 + i * 2.2)
    return rect(x, y, half * 2, 6 + i * 0.8, palette.sun, {
      corner: 3 + i * 0.4,
      opacity: 0.85 - i * 0.05,
    })
  })
  return layer(view, 0.05, ...bars)
}

function drawWaves(view: View, { index, y, depth, crest, wavelength, shift }: WaveRow): string {
  const { bottom } = view
  const { left, right } = span(view, depth)
  const first = Math.floor((left - shift) / wavelength)
  const last = Math.ceil((right - shift) / wavelength)
  const scallop = outline`q${wavelength / 2},${crest} ${wavelength},0`
  const edge = outline`M${first * wavelength + shift},${bottom + 10}V${y}` + scallop.repeat(last - first)
  const water = path(
    edge + outline`V${bottom + 10}Z`,
    waveColour(view, index),
    index < 2 ? { opacity: 0.55 } : {},
  )
  return layer(view, depth, water)
}

/** Draws rocks in water that was not visible before, since open sea looks the same everywhere. */
function drawRocks(view: View, { index, y, depth }: WaveRow): string {
  const { palette } = view
  const colour = between(waveColour(view, index), palette.ink, 0.45)
  const rocks = cells(view, { depth, step: 260, reach: 60, top: y - 60 })
    .map(({ index: cell, salt, x }) => {
      if (salt === 0 || unit(salt, cell, index) > 0.3) return ''
      const half = 22 + 34 * unit(salt, cell, index + 40)
      const middle = x + 200 * unit(salt, cell, index + 80)
      return outline`M${middle - half},${y + 20}q${half * 0.3},${-half * 1.1} ${half * 0.9},${-half * 0.8}q${half * 0.7},0 ${half * 1.1},${half * 0.8}Z`
    })
    .join('')
  return layer(view, depth, path(rocks, colour))
}

function drawGlints(view: View, { index, y, depth, wavelength, shift }: WaveRow): string {
  const { detailSeed, palette } = view
  const colour = between(waveColour(view, index), palette.light, 0.62)
  const glints = cells(view, { depth, step: wavelength * 2.2, reach: 530 + wavelength, top: y })
    .map((cell) => {
      const seed = detailSeed + cell.salt + index
      if (unit(seed, cell.index, 4) >= 0.55) return ''
      const x = cell.x + shift + unit(seed, cell.index, 5) * wavelength
      const top = y + 18 + unit(seed, cell.index, 6) * (20 + index * 10)
      const length = wavelength * (0.3 + unit(detailSeed + cell.salt, cell.index, index) * 0.5)
      if (!isInSight(view, depth, { x, y: top, reach: length })) return ''
      return rect(x, top, length, 2.5 + index * 0.7, colour, { corner: 1.2 + index * 0.35, opacity: 0.6 })
    })
    .join('')
  return layer(view, depth, glints)
}

function waveColour({ palette }: View, index: number) {
  return between(palette.far, palette.near, Math.min(1, 0.25 + index * 0.14))
}
