import { subjectKindOf, memberSizeOf } from '../../cast/figure.ts'
import { castInLandscape, drawGroup, drawOutdoors } from '../../cast/outdoors.ts'
import { between, darker, lighter } from '../colour.ts'
import { circle, ellipse, outline, path, rect, ring } from '../shapes.ts'
import type { View } from '../view.ts'

/** Draws a wall with a window, a floor and a rug, or a stage with a curtain. */
export function drawRoom(view: View): string[] {
  const { palette, left, right, top, bottom, horizon, scene } = view
  const wall = scene.isStage ? darker(palette.near, 0.45) : between(palette.skyTop, palette.skyLow, 0.6)
  const floor = between(palette.far, palette.near, 0.35)
  return [
    rect(left - 5, top - 5, right - left + 10, bottom - top + 10, wall),
    rect(left - 5, horizon, right - left + 10, Math.max(10, bottom - horizon + 5), floor),
    rect(left - 5, horizon - 16, right - left + 10, 16, between(palette.light, wall, 0.35)),
    scene.isStage ? drawSpotlights(view) : drawWindowAndRug(view, wall, floor),
    drawFurnished(view),
    scene.isStage ? drawCurtain(view) : '',
  ]
}

function windowOf({ width, horizon, genes }: View) {
  const isFlipped = genes.flip > 0.5
  return { x: width * (isFlipped ? 0.08 : 0.62), y: horizon * 0.2, width: width * 0.3, height: horizon * 0.5 }
}

function drawWindowAndRug(view: View, wall: ReturnType<typeof between>, floor: ReturnType<typeof between>) {
  const { palette, width, horizon, height, genes } = view
  const { x, y, width: wide, height: high } = windowOf(view)
  const frame = between(palette.light, wall, 0.1)
  const rugY = horizon + (height - horizon) * 0.55
  const hills =
    outline`M${x},${y + high}v${-high * 0.28}q${wide * 0.25},${-high * 0.2} ${wide * 0.5},0` +
    outline`t${wide * 0.5},${-high * 0.05}v${high * 0.33}Z`
  return [
    rect(x - 12, y - 12, wide + 24, high + 24, frame),
    rect(x, y, wide, high, view.isNight ? '#26346b' : lighter(palette.skyTop, 0.55)),
    circle(x + wide * 0.7, y + high * 0.3, high * 0.13, palette.sun),
    path(hills, between(palette.far, palette.skyLow, 0.3)),
    rect(x + wide / 2 - 5, y, 10, high, frame),
    rect(x, y + high / 2 - 5, wide, 10, frame),
    rect(x - 26, y + high + 10, wide + 52, 16, frame),
    ellipse(width * 0.5, rugY, width * 0.38, (height - horizon) * 0.28, between(palette.accent, floor, 0.5)),
    ring(width * (genes.flip > 0.5 ? 0.72 : 0.3), horizon * 0.3, 44, darker(wall, 0.12), 8),
  ].join('')
}

function drawSpotlights({ palette, width, height, top, horizon }: View): string {
  const beams = [0.2, 0.8].map((from) =>
    path(
      outline`M${width * from - 20},${top}h40L${width * 0.5 + 190},${height * 0.8}H${width * 0.5 - 190}Z`,
      palette.light,
      { opacity: 0.16 },
    ),
  )
  const spot = ellipse(width * 0.5, horizon + (height - horizon) * 0.5, 230, 50, palette.light, {
    opacity: 0.3,
  })
  return beams.join('') + spot
}

/** Draws curtain folds to the left and right of the frame, and a valance above it. */
function drawCurtain({ palette, left, right, top, bottom, width, height }: View): string {
  const cloth = between(palette.accent, '#b3202c', 0.6)
  const fold = width * 0.045
  const folds = Array.from({ length: 4 }, (_, index) => {
    const colour = index & 1 ? darker(cloth, 0.22) : cloth
    const foot = bottom + 10
    return (
      rect(
        index === 0 ? left - 10 : index * fold,
        top - 10,
        fold + (index === 0 ? 10 - left : 0),
        foot,
        colour,
      ) +
      rect(width - (index + 1) * fold, top - 10, index === 0 ? right - width + fold + 10 : fold, foot, colour)
    )
  })
  return (
    folds.join('') + rect(left - 10, top - 10, right - left + 20, height * 0.09 - top, darker(cloth, 0.12))
  )
}

const furnitureIcons = /couch|bed|bathtub|toilet|chair|throne|fireplace|drum|door|desk/

/** Draws the furnishings: small objects on a table, furniture and others on the rug, some subjects on the windowsill. */
function drawFurnished(view: View): string {
  const { palette, width, horizon, height } = view
  const onSill = view.scene.cast?.find(({ at, on }) => at === 'on' && on === 'window')
  if (onSill) {
    const place = windowOf(view)
    const size = memberSizeOf(view, onSill) * 0.8
    return drawGroup(view, onSill, { x: place.x + place.width * 0.4, y: place.y + place.height + 12, size })
  }
  const cast = castInLandscape(view)
  const isOnTable =
    cast.length > 0 &&
    cast.every(
      (member) =>
        member.letters !== undefined ||
        (/food|thing|plant/.test(subjectKindOf(member) ?? '') && !furnitureIcons.test(member.icon ?? '')),
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
