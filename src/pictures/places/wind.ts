import { between } from './colour.ts'
import { unit, wave } from './numbers.ts'
import { outline, path, placed, stroke } from './shapes.ts'
import { isInSight, lattice, layer, type View } from './view.ts'

/** Gusts that end in a curl, and leaves that they carry along. */
export function drawWind(view: View): string {
  return drawGusts(view) + drawLeaves(view)
}

/** A depth below 0 moves against the layers of the land. */
const WITH_THE_WIND = -2.2

function drawGusts(view: View): string {
  const { detailSeed, height, palette, time } = view
  const air = { depth: 0.3, width: 520, height: 170, top: height * 0.06, bottom: height * 0.94, reach: 420 }
  let gusts = ''
  for (const { column, row, x, y, salt } of lattice(view, air)) {
    const chance = unit(detailSeed + salt + 31, column, row)
    if (chance > 0.5) continue
    const length = 110 + chance * 260
    const left = x + unit(detailSeed + salt + 32, column, row) * 200 + 60 * wave(time + chance)
    const top = y + unit(detailSeed + salt + 33, column, row) * 110
    const curl = 20 + chance * 26
    gusts +=
      outline`M${left},${top}q${length * 0.3},-14 ${length * 0.6},0t${length * 0.55},-4` +
      outline`a${curl},${curl} 0 1 0 ${-curl},${-curl}M${left + length * 0.25},${top + 24}h${length * 0.4}`
  }
  return layer(
    view,
    air.depth,
    stroke(gusts, between(palette.light, palette.skyLow, 0.2), 5, { opacity: 0.7 }),
  )
}

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
