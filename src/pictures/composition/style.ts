import { between, lighter, type Colour } from '../places/colour.ts'
import { castBegins } from '../cast/attached.ts'
import { unit, wave } from '../places/numbers.ts'
import { circle, ellipsePath, outline, path, rect, stroke } from '../places/shapes.ts'
import { lattice, type View } from '../places/view.ts'

/** Combines the layers of a scene into one drawing in the style of the scene. */
export function drawInStyle(view: View, layers: readonly string[]): string {
  switch (view.scene.style) {
    case 'oil':
      return layers.join('') + drawBrushStrokes(view)
    case 'watercolour':
      return drawOnPaper(view, layers.join(''))
    case '3d':
      return layers.join('') + drawStudioLight(view)
    case 'photo':
      return drawInFocus(view, layers)
    case 'anime':
      return layers.join('') + drawSparkles(view)
    case 'line':
      return layers.map(drawContours).join('')
    case 'pixel':
      return drawCrisp(layers)
    default:
      return layers.join('')
  }
}

/** Draws without antialiasing, which is invisible on nearly transparent shapes and doubles the size of files. */
function drawCrisp(shapes: readonly string[]): string {
  return `<g shape-rendering="crispEdges">${shapes.join('')}</g>`
}

/** Draws land and sky in ink on paper. The cast is already drawn in ink. */
function drawContours(layer: string): string {
  if (layer.includes(castBegins)) return layer
  return layer.replace(
    / fill="(?:#[0-9a-f]{6}|url\(#\w+\))"/g,
    ' fill="#fffdf7" stroke="#9c9992" stroke-width="2.5" shape-rendering="crispEdges"',
  )
}

/** Draws short strokes in bending rows, light and dark. */
function drawBrushStrokes(view: View): string {
  const { detailSeed, palette } = view
  const colours = [palette.light, palette.ink, palette.sun, palette.accent]
  const paths = ['', '', '', '']
  for (const { column, row, x, y } of lattice(view, { depth: 0, width: 144, height: 78 })) {
    const chance = unit(detailSeed + 81, column, row)
    const bend = 50 * wave(column * 0.07 + row * 0.045)
    const length = 110 + 120 * chance
    paths[Math.floor(chance * 97) & 3] +=
      outline`M${x + chance * 94},${y + chance * 53}q${length / 2},${bend} ${length},${bend * 0.4}`
  }
  return drawCrisp(
    paths.map((data, i) => stroke(data, colours[i]!, 30, { opacity: [0.2, 0.1, 0.13, 0.1][i]! })),
  )
}

/** Draws pale colours with a ragged paper edge and the rims of dried drops. */
function drawOnPaper(view: View, drawing: string): string {
  const { left, top, right, bottom, detailSeed, palette } = view
  const paper = '#fbf7ec'
  const [width, height] = [right - left, bottom - top]
  const blooms = Array.from({ length: 12 }, (_, index) => {
    const x = left + width * unit(detailSeed, index, 82)
    const y = top + height * unit(detailSeed, index, 83)
    const radius = 50 + 120 * unit(detailSeed, index, 84)
    const points = Array.from({ length: 10 }, (_, corner) => {
      const reach = radius * (0.6 + 0.7 * unit(detailSeed, index * 10 + corner, 86))
      return outline`${x + reach * wave(corner / 10 + 0.25)},${y + reach * wave(corner / 10)}`
    })
    const drop = `M${points[9]}Q${points.map((point, corner) => `${point} ${points[(corner + 1) % 10]}`).join('Q')}`
    return path(drop, index % 3 === 0 ? palette.accent : paper, { opacity: index % 3 === 0 ? 0.1 : 0.17 })
  })
  const page = rect(left - 5, top - 5, width + 10, height + 10, paper)
  return `${page}<g opacity="0.8">${drawing}</g>${drawCrisp(blooms)}${drawPaperEdge(view, paper)}`
}

function drawPaperEdge({ left, top, right, bottom, detailSeed }: View, paper: Colour): string {
  const margin = (right - left) * 0.05
  const steps = 26
  const edge = (index: number, side: number) => margin * (0.55 + 0.9 * unit(detailSeed, index, 85 + side))
  const sides = [
    (t: number, i: number) => [left + (right - left) * t, top + edge(i, 0)],
    (t: number, i: number) => [right - edge(i, 1), top + (bottom - top) * t],
    (t: number, i: number) => [right - (right - left) * t, bottom - edge(i, 2)],
    (t: number, i: number) => [left + edge(i, 3), bottom - (bottom - top) * t],
  ]
  const points = sides.flatMap((side) =>
    Array.from({ length: steps - 1 }, (_, index) => side((index + 1) / steps, index)),
  )
  const inner = points.map(([x = 0, y = 0]) => outline`${x},${y}`).reverse()
  const frame = outline`M${left - 10},${top - 10}H${right + 10}V${bottom + 10}H${left - 10}Z`
  return path(`${frame}M${inner.join('L')}Z`, paper)
}

/** Draws light from the upper left and shade towards the lower right. */
function drawStudioLight({ left, top, right, bottom, width, height }: View): string {
  const bands = [0.34, 0.52, 0.7].map((reach) =>
    circle(left, top, Math.max(width, height) * reach, '#ffffff', { opacity: 0.07 }),
  )
  return bands.join('') + circle(right, bottom, Math.min(width, height) * 0.5, '#140f26', { opacity: 0.1 })
}

/** Draws the background out of focus, with lights and dark corners. */
function drawInFocus(view: View, layers: readonly string[]): string {
  const { left, top, right, bottom, detailSeed, palette } = view
  const [width, height] = [right - left, bottom - top]
  const begins = layers.findIndex((layer) => layer.includes(castBegins))
  const background = layers.slice(0, Math.max(begins, 0)).join('')
  const copies = ['9,5', '-8,-5'].map(
    (shift, index) => `<use href="#far" transform="translate(${shift})" opacity="${[0.5, 0.36][index]}"/>`,
  )
  const lights = Array.from({ length: 8 }, (_, index) => {
    const x = left + width * unit(detailSeed, index, 91)
    const y = top + height * 0.62 * unit(detailSeed, index, 92)
    return circle(x, y, 16 + 46 * unit(detailSeed, index, 93), lighter(palette.sun, 0.4), { opacity: 0.16 })
  })
  const frame = outline`M${left - 5},${top - 5}V${bottom + 5}H${right + 5}V${top - 5}Z`
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2]
  // Steps instead of a gradient, which would double the file size.
  const corners = [0.6, 0.66].map((reach) =>
    path(frame + ellipsePath(middleX, middleY, width * reach, height * reach), '#08060f', { opacity: 0.22 }),
  )
  const far = background && `<g id="far">${background}</g>${drawCrisp([...copies, ...lights])}`
  return far + layers.slice(Math.max(begins, 0)).join('') + drawCrisp(corners)
}

/** Draws four-pointed stars and slanted light. */
function drawSparkles(view: View): string {
  const { detailSeed, left, top, width, height, time } = view
  const beams = [0.1, 0.4].map((from, index) =>
    path(
      outline`M${left + width * from},${top - 10}h${70 + index * 60}l${-width * 0.35},${height + 20}h${-120}Z`,
      '#fff6fb',
      { opacity: 0.12 },
    ),
  )
  const stars = Array.from({ length: 10 }, (_, index) => {
    const x = left + width * unit(detailSeed, index, 95)
    const y = top + height * unit(detailSeed, index, 96)
    const size = (9 + 26 * unit(detailSeed, index, 97)) * (0.8 + 0.2 * wave(time * 2 + index * 0.3))
    const [far, near] = [size, size * 0.18]
    return outline`M${x},${y - far}L${x + near},${y - near}L${x + far},${y}L${x + near},${y + near}L${x},${y + far}L${x - near},${y + near}L${x - far},${y}L${x - near},${y - near}Z`
  })
  return drawCrisp(beams) + path(stars.join(''), between('#ffffff', '#ffd6ea', 0.3), { opacity: 0.9 })
}
