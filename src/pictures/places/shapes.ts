import type { Colour } from './colour.ts'
import { tenth, thousandth } from './numbers.ts'

// The drawing kit. Each function returns SVG text, in the units of the surrounding drawing.

/** Optional attributes of a shape. */
interface Style {
  /** 0..1. */
  opacity?: number
  /** The corner radius of a rectangle. */
  corner?: number
  /** The rotation in degrees, clockwise, about the centre of the shape. */
  turn?: number
}

/** A paint: a colour or a reference to a gradient. */
type Paint = Colour | `url(#${string})`

/** A circle around the point x, y. */
export function circle(x: number, y: number, radius: number, fill: Paint, style: Style = {}): string {
  return `<circle cx="${tenth(x)}" cy="${tenth(y)}" r="${tenth(radius)}" fill="${fill}"${fillOpacity(style)}/>`
}

/** An ellipse around the point x, y. */
export function ellipse(
  x: number,
  y: number,
  radiusX: number,
  radiusY: number,
  fill: Paint,
  style: Style = {},
): string {
  const turn = style.turn ? ` transform="rotate(${style.turn} ${tenth(x)} ${tenth(y)})"` : ''
  const place = `cx="${tenth(x)}" cy="${tenth(y)}" rx="${tenth(radiusX)}" ry="${tenth(radiusY)}"`
  return `<ellipse ${place} fill="${fill}"${fillOpacity(style)}${turn}/>`
}

/** A rectangle with its upper left corner at x, y. */
export function rect(
  x: number,
  y: number,
  width: number,
  height: number,
  fill: Paint,
  style: Style = {},
): string {
  const corner = style.corner ? ` rx="${tenth(style.corner)}"` : ''
  const place = `x="${tenth(x)}" y="${tenth(y)}" width="${tenth(width)}" height="${tenth(height)}"`
  return `<rect ${place}${corner} fill="${fill}"${fillOpacity(style)}/>`
}

/** A filled outline. An empty outline draws nothing. */
export function path(data: string, fill: Paint, style: Style = {}): string {
  return data && `<path d="${data}" fill="${fill}"${fillOpacity(style)}/>`
}

/** A stroke with round ends. */
export function stroke(data: string, colour: Paint, width: number, style: Style = {}): string {
  const ends = 'stroke-linecap="round" stroke-linejoin="round"'
  const opacity = style.opacity === undefined ? '' : ` stroke-opacity="${thousandth(style.opacity)}"`
  return `<path d="${data}" fill="none" stroke="${colour}" stroke-width="${tenth(width)}" ${ends}${opacity}/>`
}

/** The outline of a circle, or of an ellipse if there are two radii. */
export function ring(
  x: number,
  y: number,
  radius: number | [x: number, y: number],
  colour: Paint,
  width: number,
  style: Style = {},
): string {
  const [radiusX, radiusY] = typeof radius === 'number' ? [radius, radius] : radius
  return stroke(ellipsePath(x, y, radiusX, radiusY, tenth), colour, width, style)
}

/** Moves a drawing to x, y, and rotates and scales it about that point. */
export function placed(
  drawing: string,
  { x, y, scale = 1, turn = 0 }: { x: number; y: number; scale?: number; turn?: number },
): string {
  const turning = turn ? ` rotate(${tenth(turn)})` : ''
  const scaling = scale === 1 ? '' : ` scale(${thousandth(scale)})`
  return `<g transform="translate(${tenth(x)},${tenth(y)})${turning}${scaling}">${drawing}</g>`
}

/** A vertical gradient between two heights, in the units of the drawing. */
export function verticalGradient(id: string, top: number, bottom: number, colours: [Colour, Colour]): string {
  const axis = `x1="0" y1="${tenth(top)}" x2="0" y2="${tenth(bottom)}"`
  const stops = `<stop offset="0" stop-color="${colours[0]}"/><stop offset="1" stop-color="${colours[1]}"/>`
  return `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" ${axis}>${stops}</linearGradient>`
}

/** Clips a drawing to a circle. */
export function insideCircle(id: string, x: number, y: number, radius: number, drawing: string): string {
  const window = `<clipPath id="${id}">${circle(x, y, radius, '#ffffff')}</clipPath>`
  return `${window}<g clip-path="url(#${id})">${drawing}</g>`
}

/** Path data whose numbers are rounded to whole units: outline`M${x},${y}h${width}`. */
export function outline(texts: TemplateStringsArray, ...numbers: number[]): string {
  let data = texts[0] ?? ''
  numbers.forEach((number, i) => {
    data += Math.round(number) + (texts[i + 1] ?? '')
  })
  return data
}

// Path data for joining into one path per layer, because hundreds of elements cost more than one long path. All run
// clockwise. Otherwise, overlapping shapes in one path would cut holes into each other.

/** A box with its upper left corner at x, y. */
export function boxPath(x: number, y: number, width: number, height: number): string {
  return outline`M${x},${y}h${width}v${height}h${-width}Z`
}

/** An ellipse around the point x, y. */
export function ellipsePath(
  x: number,
  y: number,
  radiusX: number,
  radiusY: number,
  round: (x: number) => number = Math.round,
): string {
  const [rx, ry] = [round(radiusX), round(radiusY)]
  return `M${round(x - radiusX)},${round(y)}a${rx},${ry} 0 0 1 ${2 * rx},0a${rx},${ry} 0 0 1 ${-2 * rx},0Z`
}

/** A bar with round ends, with its upper left corner at x, y. */
export function pillPath(x: number, y: number, length: number, height: number): string {
  const radius = tenth(height / 2)
  const side = Math.round(length - height)
  const bulge = (down: number) => `a${radius},${radius} 0 0 1 0,${Math.round(down)}`
  return `${outline`M${x + height / 2},${y}h`}${side}${bulge(height)}h${-side}${bulge(-height)}Z`
}

// `fill-opacity`, because librsvg draws a shape with `opacity` on a separate surface, which takes three times as long.
function fillOpacity({ opacity }: Style): string {
  return opacity === undefined ? '' : ` fill-opacity="${thousandth(opacity)}"`
}

// Path data of single trees at x, y, for joining into one path per layer.

/** A conifer of three tiers. */
export function coniferPath(x: number, y: number, height: number): string {
  const [a, b, c] = [height * 0.17, height * 0.15, height * 0.16]
  const [notchA, notchB] = [height * 0.07, height * 0.08]
  const [tierA, tierB] = [height * 0.36, height * 0.3]
  const [eave, trunk] = [height * 0.28, height * 0.1]
  return (
    outline`M${x},${y - height}l${a},${tierA}h${-notchA}l${b},${tierB}h${-notchB}l${c},${tierB}` +
    outline`h${-eave}v${trunk}h${-trunk}v${-trunk}h${-eave}` +
    outline`l${c},${-tierB}h${-notchB}l${b},${-tierB}h${-notchA}Z`
  )
}

/** A tree with a round crown, as two paths because trunk and crown have different colours. */
export function roundTreePaths(x: number, y: number, height: number): { trunk: string; crown: string } {
  return {
    trunk: boxPath(x - height * 0.05, y - height * 0.5, height * 0.1, height * 0.56),
    crown: ellipsePath(x, y - height * 0.66, height * 0.3, height * 0.38),
  }
}

/**
 * A tall trunk that reaches beyond the upper edge of the picture, with a branch and a canopy of three clouds.
 * @param lean 0..1, moves the canopy to either side.
 */
export function tallTreePath(x: number, y: number, height: number, lean: number): string {
  const girth = height * 0.042
  const top = y - height * 2.1
  const trunk =
    outline`M${x - girth * 0.5},${top}H${x + girth * 0.5}L${x + girth * 0.8},${y - height}` +
    outline`Q${x + girth},${y - 40} ${x + girth * 1.6},${y + 24}H${x - girth * 1.6}` +
    outline`Q${x - girth},${y - 40} ${x - girth * 0.8},${y - height}Z`
  const branch =
    outline`M${x},${y - height * 0.82}l${height * 0.11},${-height * 0.36}h${girth * 0.6}` +
    outline`l${-height * 0.08},${height * 0.42}Z`
  return (
    trunk +
    branch +
    ellipsePath(x + (lean - 0.5) * 60, y - height * 1.9, height * 0.36, height * 0.3) +
    ellipsePath(x - girth * 4, y - height * 1.62, height * 0.24, height * 0.18) +
    ellipsePath(x + height * 0.2, y - height * 1.52, height * 0.2, height * 0.15)
  )
}
