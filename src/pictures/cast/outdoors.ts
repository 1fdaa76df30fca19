import { findIcon } from '../data/subjects.ts'
import { clamp, mix, tenth, unit, wave } from '../places/numbers.ts'
import { ellipse } from '../places/shapes.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { isHalfFigure } from '../words/mentions.ts'
import { asCast, drawFigure, freeCast } from './attached.ts'
import { isAfloat, isInTheAir, motionOf } from './motion.ts'
import { memberSizeOf } from './figure.ts'

/** Whether a member stands at the lower edge of the frame, in front of the land. */
function isInFront({ scene }: View, member: CastMember): boolean {
  return (
    isHalfFigure(member.icon) &&
    member.at !== 'above' &&
    scene.family !== 'emblem' &&
    scene.family !== 'abstract'
  )
}

/** The members that stand in the landscape itself. */
export function castInLandscape(view: View): CastMember[] {
  return freeCast(view).filter((member) => !isInFront(view, member))
}

/** Whether the trees must leave a clearing for members on the ground. */
export function hasCastOnGround(view: View): boolean {
  return castInLandscape(view).some((member) => !isInTheAir(member))
}

/** The position of one of several members, in widths of the frame. */
export function placeAcross(view: View, count: number, index: number): number {
  const hasPortrait = freeCast(view).some((member) => isInFront(view, member))
  if (hasPortrait) return count === 1 ? 0.7 : 0.55 + 0.32 * index
  if (count === 1) return 0.36 + view.genes.subjectX * 0.28
  return (count === 2 ? [0.33, 0.69] : [0.5, 0.21, 0.8])[index % 3]!
}

/** Draws the cast of a landscape: large members on the ground behind small ones, flying members in the sky. */
export function drawOutdoors(view: View, ground: number): string {
  const cast = castInLandscape(view)
  const flying = cast.filter(isInTheAir)
  const standing = cast.filter((member) => !isInTheAir(member))
  const inSky = flying.map((member, index) =>
    drawFlying(view, member, { index, flying, standing: standing.length }),
  )
  const onGround = standing
    .map((member, index) => ({
      member,
      x: view.width * placeAcross(view, standing.length, index),
      size: memberSizeOf(view, member),
    }))
    .toSorted((one, other) => other.size - one.size)
    .map(({ member, x, size }) => {
      const y = ground + (size > 400 ? -26 : size < 220 ? 34 : 0)
      return drawGroup(view, member, { x, y, size, hasShadow: true })
    })
  const isBehind = standing.some((member) => findIcon(member.icon)?.kind !== 'place')
  return asCast((isBehind ? [...inSky, ...onGround] : [...onGround, ...inSky]).join(''))
}

function drawFlying(
  view: View,
  member: CastMember,
  { index, flying, standing }: { index: number; flying: readonly CastMember[]; standing: number },
): string {
  const size = memberSizeOf(view, member)
  const across =
    standing > 0 ? placeAcross(view, 2, (index + 1) % 2) : placeAcross(view, flying.length, index)
  const y = Math.max(view.horizon * 0.6 + size * 0.42, size * 1.12) + index * 40
  return drawGroup(view, member, { x: view.width * across, y, size })
}

interface Stand {
  x: number
  /** The height of its feet. */
  y: number
  size: number
  hasShadow?: boolean
}

/** Draws one or several of a kind. Members that are farther away are smaller and higher. */
export function drawGroup(view: View, member: CastMember, { x, y, size, hasShadow = false }: Stand): string {
  const { count } = member
  const isFamily = /^person-(?:standing|walking)$/.test(member.icon ?? '')
  if (count <= 1) return drawOne(view, member, { x, y, size, hasShadow })
  const gap = count > 3 ? 0.62 : 0.86
  const fitting = Math.min(size, (view.width * 0.9) / (count * (count > 3 ? 0.44 : 0.66)))
  const reach = (count - 1) * 0.5 * gap * fitting * 0.82 + fitting * 0.4
  const middle = clamp(x, Math.min(reach, view.width / 2), Math.max(view.width - reach, view.width / 2))
  return Array.from({ length: count }, (_, fromFront) => {
    const index = count - 1 - fromFront
    const distance = unit(member.seed, 40 + index)
    const stand = {
      x: middle + (index - (count - 1) / 2) * gap * fitting * 0.82,
      y: y - distance * (hasShadow ? 34 : 94),
      size: fitting * (1 - 0.24 * distance) * (count > 3 ? 0.76 : 0.95) * (isFamily && index > 1 ? 0.68 : 1),
      hasShadow,
    }
    return drawOne(view, memberOfGroup(member, index), stand)
  }).join('')
}

/** Several people are women, men and children. */
function memberOfGroup(member: CastMember, index: number): CastMember {
  const each = { ...member, seed: mix(member.seed, index) }
  const pose = /^person-(standing|walking|running)$/.exec(member.icon ?? '')?.[1]
  return pose && index < 2 ? { ...each, icon: `${index === 0 ? 'woman' : 'man'}-${pose}` } : each
}

function drawOne(view: View, member: CastMember, { x, y, size, hasShadow }: Stand): string {
  const motion = motionOf(view, member, size)
  const icon = findIcon(member.icon)
  const half = icon ? ((icon.right - icon.left) / 64) * size : size * 0.3
  const shadow = hasShadow
    ? ellipse(x + motion.x, y, half * 1.02, Math.max(5, size * 0.032), view.palette.ink, { opacity: 0.26 })
    : ''
  const turn = motion.turn ? ` rotate(${tenth(motion.turn)})` : ''
  const figure = drawFigure(view, stepping(view, member), size, {
    isOutdoors: true,
    isMirrored: motion.isMirrored,
  })
  return `${shadow}<g transform="translate(${tenth(x + motion.x)},${tenth(y + motion.y)})${turn}">${figure}</g>`
}

/** Replaces a walking figure by a standing one between two steps. */
function stepping({ time }: View, member: CastMember): CastMember {
  const isBetweenSteps = member.icon?.endsWith('-walking') && wave(time * 6 + 0.25) < 0
  return isBetweenSteps ? { ...member, icon: member.icon!.replace('walking', 'standing') } : member
}

/** Draws people from the waist up, at the lower edge. */
export function drawInFront(view: View): string {
  const people = freeCast(view).filter((member) => isInFront(view, member))
  const isAlone = freeCast(view).length === 1
  const side = Math.min(view.width, view.height)
  const drawn = people.map((member, index) => {
    const across =
      !isAlone && people.length === 1
        ? 0.3
        : (people.length === 1 ? [0.5] : people.length === 2 ? [0.3, 0.7] : [0.5, 0.2, 0.8])[index]!
    const place = `translate(${tenth(view.width * across)},${tenth(view.height + 2)})`
    const turn = tenth(1.2 * wave(view.time))
    return `<g transform="${place} rotate(${turn})">${drawPeople(view, member, side * (isAlone ? 0.56 : 0.5))}</g>`
  })
  return asCast(drawn.join(''))
}

function drawPeople(view: View, member: CastMember, size: number): string {
  const count = Math.min(member.count, 3)
  return Array.from({ length: count }, (_, index) => {
    const person = { ...member, seed: mix(member.seed, index), tone: (member.tone + index) % 5 }
    const x = tenth((index - (count - 1) / 2) * size * (count > 2 ? 0.56 : 0.85))
    return `<g transform="translate(${x},0)">${drawFigure(view, person, size * [1, 0.8, 0.6][count - 1]!)}</g>`
  }).join('')
}

/** Members on the shore, as opposed to the water or the air. */
export function castAshore(view: View): CastMember[] {
  return castInLandscape(view).filter((member) => !isInTheAir(member) && !isAfloat(member))
}

/** Whether the sky has no space for birds: a subject flies, or is very high. */
export function isSkyTaken(view: View): boolean {
  return castInLandscape(view).some((member) => isInTheAir(member) || member.icon === 'lighthouse')
}
