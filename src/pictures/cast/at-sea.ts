import { between } from '../places/colour.ts'
import { outline, path } from '../places/shapes.ts'
import { layer, type View } from '../places/view.ts'
import { asCast } from './attached.ts'
import { isAfloat, isInTheAir } from './motion.ts'
import { castAshore, castInLandscape, drawGroup, placeAcross } from './outdoors.ts'
import { inTheLight } from './recolour.ts'
import { memberSizeOf } from './figure.ts'

/** At sea, boats and whales float. Other subjects stand on an islet, or on a shore in front of the sea. */
export function drawAtSea(view: View, { y, depth }: { y: number; depth: number }): string {
  const cast = castInLandscape(view)
  const flying = cast.filter(isInTheAir)
  const floating = cast.filter((member) => !isInTheAir(member) && isAfloat(member))
  const ashore = view.scene.isBeach ? [] : castAshore(view)
  const { width, horizon } = view
  const inSky = flying.map((member, index) => {
    const size = memberSizeOf(view, member)
    const across = flying.length < cast.length ? 0.7 : placeAcross(view, flying.length, index)
    return drawGroup(view, member, {
      x: width * across,
      y: Math.max(horizon * 0.55 + size * 0.3, size * 1.12),
      size,
    })
  })
  const lighthouse = ashore.length === 1 && ashore[0]!.icon === 'lighthouse' ? ashore[0] : undefined
  const middle = width * (floating.length > 0 ? 0.3 : 0.5)
  const onIslet = ashore.map((member, index) =>
    drawGroup(view, member, {
      x: middle + (index - (ashore.length - 1) / 2) * 270,
      y: y + 2 + (index & 1) * 14,
      size: memberSizeOf(view, member) * 0.95,
      hasShadow: member !== lighthouse,
    }),
  )
  const onWater = floating.map((member, index) => {
    const size = memberSizeOf(view, member)
    const across = ashore.length > 0 ? 0.72 : placeAcross(view, floating.length, index)
    return drawGroup(view, member, { x: width * across, y: y + size * 0.06, size })
  })
  const islet =
    ashore.length > 0 && !lighthouse
      ? drawIslet(view, { x: middle, y, depth, isWide: ashore.length > 1 })
      : ''
  return asCast([...inSky, islet, ...onIslet, ...onWater].join(''))
}

function drawIslet(
  view: View,
  { x, y, depth, isWide }: { x: number; y: number; depth: number; isWide: boolean },
): string {
  const half = isWide ? 470 : 330
  const { palette } = view
  const sand = between(between(palette.sun, palette.near, 0.45), '#e9cfa0', 0.3)
  const shape =
    outline`M${x - half},${y + 70}Q${x - half * 0.6},${y - 30} ${x},${y - 34}` +
    outline`T${x + half},${y + 70}Z`
  return layer(view, depth, path(shape, sand))
}

/** A strip of sand in front of the sea, with the subjects on it. */
export function drawBeach(view: View): string {
  if (!view.scene.isBeach || view.scene.family !== 'sea') return ''
  const { palette, left, right, bottom, width, height } = view
  const sand = between(inTheLight(view, '#eccf9c'), palette.sun, 0.2)
  const y = height * 0.8
  const shape =
    outline`M${left - 10},${bottom + 10}V${y + 26}Q${width * 0.3},${y - 34} ${width * 0.6},${y}` +
    outline`T${right + 10},${y - 20}V${bottom + 10}Z`
  const walkers = castAshore(view)
  const drawn = walkers.map((member, index) =>
    drawGroup(view, member, {
      x: width * placeAcross(view, walkers.length, index),
      y: height * 0.9 + (index & 1) * 20,
      size: memberSizeOf(view, member) * 1.1,
      hasShadow: true,
    }),
  )
  return path(shape, sand) + asCast(drawn.join(''))
}
