import { kindOf } from '../../cast/figure.ts'
import { castInLandscape, drawOutdoors } from '../../cast/outdoors.ts'
import { between, darker, lighter } from '../colour.ts'
import { circle, outline, path, rect, ring } from '../shapes.ts'
import type { View } from '../view.ts'

/** A wall with a window, a floor and a rug. Small things stand on a table, furniture and everybody else on the rug. */
export function drawRoom(view: View): string[] {
  const { palette, left, right, top, bottom, width, horizon, genes, height } = view
  const wall = between(palette.skyTop, palette.skyLow, 0.6)
  const floor = between(palette.far, palette.near, 0.35)
  const isFlipped = genes.flip > 0.5
  const [x, y] = [width * (isFlipped ? 0.08 : 0.62), horizon * 0.2]
  const [windowWidth, windowHeight] = [width * 0.3, horizon * 0.5]
  const frame = between(palette.light, wall, 0.1)
  const rug = { x: width * 0.12, y: horizon + (height - horizon) * 0.55, radiusY: (height - horizon) * 0.28 }
  const hills =
    outline`M${x},${y + windowHeight}v${-windowHeight * 0.28}q${windowWidth * 0.25},${-windowHeight * 0.2} ${windowWidth * 0.5},0` +
    outline`t${windowWidth * 0.5},${-windowHeight * 0.05}v${windowHeight * 0.33}Z`
  return [
    rect(left - 5, top - 5, right - left + 10, bottom - top + 10, wall),
    rect(left - 5, horizon, right - left + 10, Math.max(10, bottom - horizon + 5), floor),
    rect(left - 5, horizon - 16, right - left + 10, 16, between(palette.light, wall, 0.35)),
    rect(x - 12, y - 12, windowWidth + 24, windowHeight + 24, frame),
    rect(x, y, windowWidth, windowHeight, view.isNight ? '#26346b' : lighter(palette.skyTop, 0.55)),
    circle(x + windowWidth * 0.7, y + windowHeight * 0.3, windowHeight * 0.13, palette.sun),
    path(hills, between(palette.far, palette.skyLow, 0.3)),
    rect(x + windowWidth / 2 - 5, y, 10, windowHeight, frame),
    rect(x, y + windowHeight / 2 - 5, windowWidth, 10, frame),
    rect(x - 26, y + windowHeight + 10, windowWidth + 52, 16, frame),
    path(
      outline`M${rug.x},${rug.y}a${width * 0.38},${rug.radiusY} 0 0 1 ${width * 0.76},0` +
        outline`a${width * 0.38},${rug.radiusY} 0 0 1 ${-width * 0.76},0Z`,
      between(palette.accent, floor, 0.5),
    ),
    drawFurnished(view),
    ring(width * (isFlipped ? 0.72 : 0.3), horizon * 0.3, 44, darker(wall, 0.12), 8),
  ]
}

const isFurniture = /couch|bed|bathtub|toilet|chair|door|desk/

function drawFurnished(view: View): string {
  const { palette, width, horizon, height } = view
  const cast = castInLandscape(view)
  const isOnTable =
    cast.length > 0 &&
    cast.every(
      (member) =>
        member.letters !== undefined ||
        (/food|thing|plant/.test(kindOf(member) ?? '') && !isFurniture.test(member.icon ?? '')),
    )
  if (!isOnTable) return drawOutdoors(view, horizon + (height - horizon) * 0.5)
  const wood = darker(between(palette.near, palette.far, 0.5), 0.12)
  const top = horizon + 34
  return (
    rect(width * 0.2, top, 30, height * 0.24, darker(wood, 0.2)) +
    rect(width * 0.8 - 30, top, 30, height * 0.24, darker(wood, 0.2)) +
    rect(width * 0.14, top, width * 0.72, 30, lighter(wood, 0.16)) +
    drawOutdoors(view, top + 4)
  )
}
