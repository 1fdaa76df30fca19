import { faceIcons, seats } from '../data/mention-words.ts'
import { findIcon, type Icon } from '../data/subjects.ts'
import { clamp, mix, tenth, wave } from '../places/numbers.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { isHalfFigure } from '../words/mentions.ts'
import { drawAlone, isHead, subjectKindOf, type Pose, baseSizeOf } from './figure.ts'

/** The mark at which the drawing of the cast begins. Everything before it is the background. */
export const castBegins = '<g class="cast">'

/** Marks a drawing as the cast. */
export function asCast(drawing: string): string {
  return drawing && `${castBegins}${drawing}</g>`
}

/** The subjects of a picture, unless they are drawn separately. */
export function castIn({ scene }: View): readonly CastMember[] {
  return scene.isElsewhere ? [] : (scene.cast ?? [])
}

/** The members with a place of their own: not on, in or worn by another member. */
export function freeCast(view: View): CastMember[] {
  const cast = castIn(view)
  return cast.filter((member) => !cast.some((carrier) => isAttached(member, carrier)))
}

function isAttached(member: CastMember, carrier: CastMember): boolean {
  const isOnAnother = member.at === 'on' || member.at === 'in' || member.at === 'worn'
  return isOnAnother && member !== carrier && member.on === carrier.icon
}

/** Whether another member is on, in or worn by this one. */
export function hasAttached(view: View, carrier: CastMember): boolean {
  return castIn(view).some((member) => isAttached(member, carrier))
}

/** Draws a member with its feet at 0, 0, in a box of `size`, with everything on it, in it or worn by it. */
export function drawFigure(view: View, member: CastMember, size: number, pose: Pose = {}): string {
  const { behind, before } = drawAttached(view, member, size, pose)
  return behind + drawAlone(view, member, size, pose) + before
}

/** The position of one member on another, relative to the box of the other, whose feet are at 0, 0. */
interface Place {
  x?: number
  y: number
  size: number
  isBehind?: boolean
}

/** Draws the members on, in or worn by a member: some behind it, some in front. */
function drawAttached(
  view: View,
  carrier: CastMember,
  size: number,
  pose: Pose,
): { behind: string; before: string } {
  const drawn = { behind: '', before: '' }
  const box = findIcon(carrier.icon)
  if (!box) return drawn
  for (const member of castIn(view)) {
    if (!isAttached(member, carrier)) continue
    const isBug = subjectKindOf(member) === 'bug'
    const count = Math.min(member.count, isBug ? bugSpots.length : 5)
    for (let index = 0; index < count; index++) {
      const place = isBug ? bugPlace(view, index) : placeOn(member, { carrier, box, pose, index, count })
      const to = `translate(${tenth((place.x ?? 0) * size)},${tenth(place.y * size)})`
      const figure = drawAlone(view, { ...member, seed: mix(member.seed, index) }, place.size * size, {
        isOutdoors: member.at === 'on',
        isMirrored: member.at === 'worn' ? false : isBug ? (index & 1) === 1 : (pose.isMirrored ?? false),
      })
      drawn[place.isBehind ? 'behind' : 'before'] += `<g transform="${to}">${figure}</g>`
    }
  }
  return drawn
}

const bugSpots = [
  [-0.3, -0.42],
  [0.28, -0.5],
  [0.02, -0.3],
  [-0.34, -0.12],
  [0.36, -0.2],
  [0.1, -0.56],
] as const

function bugPlace({ time }: View, index: number): Place {
  const [x, y] = bugSpots[index]!
  return { x, y: y + 0.13 + 0.03 * wave(time * 3 + index * 0.3), size: 0.26 }
}

interface Carried {
  carrier: CastMember
  box: Icon
  pose: Pose
  index: number
  count: number
}

function placeOn(member: CastMember, { carrier, box, pose, index, count }: Carried): Place {
  const height = (box.bottom - box.top) / 32
  const across = index - (count - 1) / 2
  if (member.at === 'worn') return placeWorn(member, carrier, box, pose)
  if (member.at === 'in') {
    const lift = count > 1 && index & 1 ? 0.12 : 0
    return { x: across * 0.17, y: -height * 0.74 - lift, size: count > 1 ? 0.46 : 0.55, isBehind: true }
  }
  const seat = seats[carrier.icon!] ?? 0.85
  const ratio = clamp(baseSizeOf(member) / baseSizeOf(carrier), 0.3, 0.72)
  const isMount = /animal|creature|vehicle/.test(box.kind)
  const isAstride = isHalfFigure(member.icon) && isMount
  return {
    x: across * 0.4,
    y: -height * seat - (isMount && !isAstride ? 0.14 : 0),
    size: count > 1 ? ratio * 0.7 : ratio,
    ...(isAstride && { isBehind: true }),
  }
}

/** Glasses lie on the eyes, hats on the head, and wings grow out of the back. */
function placeWorn(member: CastMember, carrier: CastMember, box: Icon, pose: Pose): Place {
  const { icon = '' } = member
  const worn = findIcon(icon)!
  if (icon === 'wings') return { y: (-0.1 * (box.bottom - box.top)) / 32, size: 1.7, isBehind: true }
  const head = headOf(carrier, box, pose)
  if (icon === 'umbrella') return { x: 0.26, y: head.top * 0.62, size: 0.8, isBehind: true }
  const share = /glasses/.test(icon) ? 0.84 : icon === 'headphone' ? 1.12 : 0.9
  const size = (head.width * share * 32) / (worn.right - worn.left)
  const height = ((worn.bottom - worn.top) / 32) * size
  if (/glasses/.test(icon)) return { y: head.eyes + height / 2, size }
  return { y: head.top + (icon === 'headphone' ? height * 0.8 : height * 0.3), size }
}

/** The heights of the eyes and of the top of a head, and its width, as fractions of the box. */
function headOf(carrier: CastMember, box: Icon, { isOutdoors = false }: Pose) {
  const [width, height] = [(box.right - box.left) / 32, (box.bottom - box.top) / 32]
  const isSeated = isHead(carrier.icon) && isOutdoors
  if (isSeated) return { eyes: -0.66, top: -0.34 - 0.66 * height, width: width * 0.66 }
  if (faceIcons.test(carrier.icon ?? ''))
    return { eyes: -0.7, top: -0.33 - 0.86 * height, width: width * 0.8 }
  if (isHead(carrier.icon)) return { eyes: -height * 0.55, top: -height, width: width * 0.9 }
  return { eyes: -height * 0.72, top: -height, width: width * 0.55 }
}
