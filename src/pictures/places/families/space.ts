import { drawOutdoors } from '../../cast/outdoors.ts'
import { between, lighter, type Colour } from '../colour.ts'
import { unit, wave } from '../numbers.ts'
import { shortSide, layer, type View } from '../view.ts'
import { circle, insideCircle, outline, path, placed, rect, stroke } from '../shapes.ts'
import { drawSky } from '../sky.ts'
import { drawRidge, tone } from '../terrain.ts'

/** Draws a banded planet, with or without a ring, above the ground of another. The subject floats in front of it. */
export function drawSpace(view: View): string[] {
  return [...drawSky(view), drawPlanet(view), ...drawGround(view), drawCastInSpace(view)]
}

function planetPlace(view: View): { x: number; y: number; radius: number } {
  const { width, height, genes } = view
  return {
    x: width * (genes.flip > 0.5 ? 0.68 : 0.32),
    y: height * (0.3 + genes.horizon * 0.16),
    radius: ((150 + genes.size * 130) * shortSide(view)) / 1000,
  }
}

const TILT = -18

function drawPlanet(view: View): string {
  const { palette, genes } = view
  const { x, y, radius } = planetPlace(view)
  const colour = palette.far
  const bandColour = between(palette.far, palette.accent, 0.5)
  const hasRing = genes.mode > 0.35
  const ball =
    circle(0, 0, radius, colour) +
    drawBands(view, { radius, colours: [lighter(colour, 0.22), bandColour] }) +
    path(shadowOfBall(radius), palette.ink, { opacity: 0.34 })
  const planet = [
    circle(0, 0, radius * 1.16, bandColour, { opacity: 0.13 }),
    hasRing ? drawHalfRing(view, radius, 'behind') : '',
    insideCircle('planet', 0, 0, radius, ball),
    hasRing ? drawHalfRing(view, radius, 'before') : '',
  ]
  return layer(view, 0.14, placed(planet.join(''), { x, y }))
}

function drawBands(view: View, { radius, colours }: { radius: number; colours: [Colour, Colour] }): string {
  const bands = [-0.62, -0.3, 0.02, 0.3, 0.62].map((top, i) => {
    const thickness = radius * (0.1 + 0.14 * unit(view.detailSeed, i, 70))
    const colour = colours[i % 2 ? 1 : 0]
    return rect(-radius * 1.1, radius * top, radius * 2.2, thickness, colour, { opacity: 0.75 })
  })
  return placed(placed(bands.join(''), { x: -20 * view.time, y: 0 }), { x: 0, y: 0, turn: TILT })
}

function shadowOfBall(radius: number): string {
  return outline`M${-radius},${-radius}Q${radius * 0.5},${radius * 0.9} ${radius},${radius * 0.1}V${radius}H${-radius}Z`
}

function drawHalfRing({ palette }: View, radius: number, side: 'behind' | 'before'): string {
  const sweep = side === 'behind' ? 1 : 0
  function halfEllipse(radiusX: number, radiusY: number): string {
    return outline`M${-radiusX},0A${radiusX},${radiusY} 0 0 ${sweep} ${radiusX},0`
  }
  const outer = halfEllipse(radius * 1.75, radius * 0.42)
  const inner = halfEllipse(radius * 1.5, radius * 0.33)
  const ring =
    stroke(outer, between(palette.sun, palette.accent, 0.3), Math.round(radius * 0.11)) +
    stroke(inner, between(palette.light, palette.accent, 0.2), Math.round(radius * 0.04), { opacity: 0.7 })
  return placed(ring, { x: 0, y: 0, turn: TILT })
}

function drawGround(view: View): string[] {
  const { terrainSeed, height, palette } = view
  const drawings: string[] = []
  for (let i = 0; i < 12; i++) {
    const ground = {
      view,
      seed: terrainSeed + i,
      base: height * 0.9 + i * 130,
      amplitude: 120,
      wavelength: 380,
    }
    if (ground.base - ground.amplitude > view.bottom) break
    const depth = 0.5 + i * 0.12
    const colour = tone(palette, i + 2, 4)
    drawings.push(layer(view, depth, drawRidge(view, depth, ground, colour)))
  }
  return drawings
}

function drawCastInSpace(view: View): string {
  return drawOutdoors(view, view.height * 0.62 + shortSide(view) * 0.16 + 10 * wave(view.time))
}
