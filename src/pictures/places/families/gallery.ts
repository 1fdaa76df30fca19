import { between, darker, lighter, type Colour } from '../colour.ts'
import { mix, unit } from '../numbers.ts'
import { shortSide } from '../../composition/placing.ts'
import { circle, ellipse, outline, path, rect } from '../shapes.ts'
import { cells, layer, type View } from '../view.ts'

/** A wall where a picture hangs, as large as the frame of the world, with smaller ones beside it and a floor below. */
export function drawGallery(view: View): string[] {
  const side = shortSide(view)
  const floor = view.height + side * 0.62
  return [
    drawWall(view),
    drawFloor(view, floor),
    ...drawNeighbours(view),
    drawPlants(view, floor),
    drawHanging(view, { x: 0, y: 0, width: view.width, height: view.height }, side),
  ]
}

function wallColour({ palette }: View): Colour {
  return lighter(between(palette.skyLow, palette.far, 0.18), 0.3)
}

function drawWall(view: View): string {
  const { left, top, right, bottom, height } = view
  const side = shortSide(view)
  const wall = wallColour(view)
  const rail = rect(left - 5, -side * 0.75, right - left + 10, side * 0.03, lighter(wall, 0.35))
  const panel = rect(left - 5, height + side * 0.42, right - left + 10, side * 0.3, darker(wall, 0.07))
  return rect(left - 5, top - 5, right - left + 10, bottom - top + 10, wall) + rail + panel
}

function drawFloor(view: View, floor: number): string {
  const { left, right, bottom, palette } = view
  if (bottom < floor) return ''
  const width = right - left + 10
  return (
    rect(left - 5, floor, width, bottom - floor + 10, between(palette.near, palette.far, 0.35)) +
    rect(left - 5, floor - 26, width, 26, lighter(wallColour(view), 0.3))
  )
}

/** A frame with a mat, its shadow on the wall, and room for a picture. */
function drawHanging(
  { palette, terrainSeed }: View,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  side: number,
): string {
  const frame = [palette.ink, darker(palette.accent, 0.25), '#f7f2e8', '#6d4a30'] as const
  const wood: Colour = frame[mix(terrainSeed, Math.round(x), 5) & 3] ?? palette.ink
  const rim = side * 0.035
  const mat = side * 0.045
  const around = (by: number, colour: Colour, opacity?: number) =>
    rect(x - by, y - by, width + 2 * by, height + 2 * by, colour, { corner: 2, ...(opacity && { opacity }) })
  const shadow = rect(x - mat, y + mat, width + 2 * mat + rim, height + mat + rim * 2.4, palette.ink, {
    opacity: 0.2,
  })
  return shadow + around(mat + rim, wood) + around(mat, '#fbf7ee')
}

/** Smaller pictures to the left and to the right, one in each stretch of wall. */
function drawNeighbours(view: View): string[] {
  const { width, height, detailSeed } = view
  const side = shortSide(view)
  const step = side * 0.92
  const clear = side * 0.2
  return cells(view, { depth: 0.02, step }).map(({ index, x, salt }) => {
    const hash = mix(detailSeed + salt, index, 211)
    const size = side * (0.3 + 0.22 * unit(hash, 1))
    const shape = [1, 0.75, 1.3][hash % 3] ?? 1
    const box = {
      x: x + (step - size) / 2,
      y: height * 0.5 - (size * shape) / 2 + side * 0.14 * (unit(hash, 2) - 0.5),
      width: size,
      height: size * shape,
    }
    const isInTheWay = box.x < width + clear && box.x + box.width > -clear
    if (isInTheWay) return ''
    return layer(view, 0.02, drawHanging(view, box, size) + drawLittlePicture(view, box, hash))
  })
}

/** Land below a sun, or three shapes. */
function drawLittlePicture(
  { palette }: View,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  hash: number,
): string {
  const colours = [palette.accent, palette.far, palette.near, palette.sun, palette.skyTop]
  const colour = (n: number) => colours[(hash + n) % colours.length] ?? palette.accent
  const ground = rect(x, y, width, height, between(colour(0), palette.light, 0.55))
  if (hash & 8) {
    const hill = (top: number, fill: Colour) =>
      path(
        outline`M${x},${y + height}V${y + height * top}q${width * 0.25},${-height * 0.16} ${width * 0.5},0` +
          outline`t${width * 0.5},0V${y + height}Z`,
        fill,
      )
    return (
      ground +
      circle(x + width * 0.64, y + height * 0.34, width * 0.13, colour(1)) +
      hill(0.62, colour(2)) +
      hill(0.8, darker(colour(2), 0.25))
    )
  }
  return (
    ground +
    circle(x + width * 0.42, y + height * 0.42, width * 0.26, colour(1)) +
    rect(x + width * 0.46, y + height * 0.5, width * 0.34, height * 0.32, colour(2)) +
    path(
      outline`M${x + width * 0.2},${y + height * 0.82}l${width * 0.2},${-height * 0.3}l${width * 0.2},${height * 0.3}Z`,
      colour(3),
    )
  )
}

/** Plants in pots, some steps apart. */
function drawPlants(view: View, floor: number): string {
  const { palette, detailSeed } = view
  const side = shortSide(view)
  const step = side * 1.7
  if (view.bottom < floor - side) return ''
  const plants = cells(view, { depth: 0.1, step }).map(({ index, x, salt }) => {
    if (unit(detailSeed + salt, index, 231) > 0.55) return ''
    const middle = x + step * (0.3 + 0.4 * unit(detailSeed + salt, index, 232))
    const foot = floor + side * 0.08
    const leaf = (lean: number, colour: Colour) =>
      path(
        outline`M${middle},${foot - side * 0.14}q${lean * side * 0.3 - side * 0.06},${-side * 0.12} ${lean * side * 0.34},${-side * 0.36}` +
          outline`q${side * 0.06},${side * 0.2} ${-lean * side * 0.34},${side * 0.36}Z`,
        colour,
      )
    const green = between(palette.near, '#3f8f5b', 0.5)
    return (
      ellipse(middle, foot, side * 0.12, side * 0.02, palette.ink, { opacity: 0.25 }) +
      [-0.8, 0.8, -0.4, 0.4, 0.02]
        .map((lean, i) => leaf(lean, i % 2 ? green : darker(green, 0.18)))
        .join('') +
      path(
        outline`M${middle - side * 0.09},${foot - side * 0.16}h${side * 0.18}l${-side * 0.03},${side * 0.16}h${-side * 0.12}Z`,
        palette.accent,
      )
    )
  })
  return layer(view, 0.1, ...plants)
}
