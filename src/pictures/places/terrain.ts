import { between, type Colour } from './colour.ts'
import { lerp, smooth, unit } from './numbers.ts'
import type { Palette } from '../data/palette-table.ts'
import { outline, path } from './shapes.ts'
import { saltOf, span, type View } from './view.ts'

/** An endless line of hills, in world units. */
export interface Ridge {
  view: View
  seed: number
  /** The height of the lowest valleys, measured downwards. */
  base: number
  /** The height of the summits above the valleys. */
  amplitude: number
  /** The approximate distance between summits. */
  wavelength: number
}

/** The height of a ridge at x. */
export function ridgeHeight(ridge: Ridge, x: number): number {
  const { seed, base, amplitude, wavelength } = ridge
  const large = noiseAlong(ridge, { seed, wavelength, x })
  const small = noiseAlong(ridge, { seed: seed + 9, wavelength: wavelength * 0.37, x })
  return base - amplitude * (large * 0.72 + small * 0.28)
}

/** A smooth random curve, 0..1, with a knot every wavelength. Knots outside of earlier views may differ. */
function noiseAlong(
  { view, base, amplitude }: Ridge,
  { seed, wavelength, x }: { seed: number; wavelength: number; x: number },
): number {
  const knot = Math.floor(x / wavelength)
  function heightAt(index: number): number {
    // Lines are smoothed over several points, so a knot also has a small effect beyond its neighbours.
    const left = (index - 1) * wavelength - LINE_REACH
    const right = (index + 1) * wavelength + LINE_REACH
    const salt =
      view.seen.length === 0 ? 0 : saltOf(view, { left, right, top: base - amplitude, bottom: Infinity })
    return unit(seed + salt, index)
  }
  return lerp(heightAt(knot), heightAt(knot + 1), smooth(x / wavelength - knot))
}

const LINE_REACH = 260

/** Draws a ridge at some depth, and the ground below it down to the bottom of the picture. */
export function drawRidge(
  view: View,
  depth: number,
  ridge: Ridge,
  colour: Colour,
  style: 'rolling' | 'angular' = 'rolling',
): string {
  const { left, right } = span(view, depth)
  const bottom = view.bottom + 10
  const step = style === 'angular' ? ridge.wavelength / 5 : Math.max(30, ridge.wavelength / 8)
  const first = Math.floor(left / step) - 2
  let data = outline`M${left - 200},${bottom}L${first * step},${ridgeHeight(ridge, first * step)}`
  let [lastX, lastY] = [first * step, ridgeHeight(ridge, first * step)]
  for (let i = first + 1; i <= right / step + 2; i++) {
    const x = i * step
    const y = ridgeHeight(ridge, x)
    if (style === 'angular') data += outline`L${x},${y}`
    else data += outline`Q${lastX},${lastY} ${(lastX + x) / 2},${(lastY + y) / 2}`
    lastX = x
    lastY = y
  }
  return path(data + outline`L${right + 200},${bottom}Z`, colour)
}

/**
 * The colour of one of `count` layers, which fade from air in the distance to ink nearby.
 * @param index 0 for the farthest.
 */
export function tone(palette: Palette, index: number, count: number): Colour {
  if (index < count) return between(palette.far, palette.near, index / (count - 1))
  return between(palette.near, palette.ink, Math.min(1, (index - count + 1) * 0.35))
}
