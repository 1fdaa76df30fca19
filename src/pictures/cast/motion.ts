import { climbs, fliers, looksRight } from '../data/subject-tables.ts'
import { unit, wave } from '../places/numbers.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { isHalfFigure } from '../words/mentions.ts'
import { subjectKindOf } from './figure.ts'

/** Whether a member is in the air rather than on the ground. */
export function isInTheAir({ at, icon }: CastMember): boolean {
  return at === 'above' || (icon !== undefined && at !== 'on' && fliers.test(icon))
}

/** Whether a member floats on water. */
export function isAfloat(member: CastMember): boolean {
  const kind = subjectKindOf(member)
  return (
    kind === 'boat' ||
    kind === 'fish' ||
    /duck|swan|seal|iceberg|otter|rowing|surfing|swimming/.test(member.icon ?? '')
  )
}

interface Motion {
  x: number
  y: number
  turn: number
  isMirrored: boolean
}

/** How far a member has moved at the time of the view. At time 0, no member has moved. */
export function motionOf(view: View, member: CastMember, size: number): Motion {
  const { time, width, height } = view
  const { icon = '', letters, seed, isMoving = false } = member
  const kind = subjectKindOf(member)
  const phase = unit(seed, 9)
  const swing = (speed: number): number => wave(time * speed + phase) - wave(phase)
  const still: Motion = { x: 0, y: 0, turn: 0, isMirrored: false }
  const isMirrored = !looksRight.test(icon)
  if (letters || icon === 'lighthouse') return still
  if (icon.endsWith('balloon'))
    return { ...still, x: 20 * swing(1), y: -height * 0.09 * time, turn: 2 * swing(1) }
  if (climbs.test(icon)) return { ...still, x: width * 0.2 * time, y: -height * 0.12 * time }
  if (isInTheAir(member) && kind !== 'sky')
    return { x: 230 * time, y: 22 * swing(2), turn: 3 * swing(2), isMirrored }
  if (kind === 'boat') return { x: width * 0.08 * time, y: 6 * swing(2.5), turn: 3 * swing(2.5), isMirrored }
  switch (kind) {
    case 'vehicle':
      return { x: width * 0.3 * time, y: -2 * Math.abs(swing(9)), turn: 0.4 * swing(7), isMirrored }
    case 'fish':
      return { x: 200 * time, y: 14 * swing(2), turn: 4 * swing(2), isMirrored }
    case 'bug':
      return { x: 90 * time, y: 14 * swing(4), turn: 6 * swing(3), isMirrored }
    case 'plant':
      return { ...still, turn: 2.5 * swing(1.5) }
    case 'person':
      return isHalfFigure(icon) ? nod(swing) : walk()
    case 'animal':
    case 'bird':
      return walk()
    default:
      return nod(swing)
  }

  function walk(): Motion {
    const speed = isMoving ? 8 : 3
    const way = !isMoving ? 0.08 : icon.endsWith('walking') ? 0.16 : 0.26
    return {
      x: width * way * time,
      y: -Math.abs(swing(speed)) * size * (isMoving ? 0.07 : 0.02),
      turn: 2 * swing(isMoving ? 8 : 2),
      isMirrored,
    }
  }
}

function nod(swing: (speed: number) => number): Motion {
  return { x: 0, y: -3 * Math.abs(swing(1)), turn: 0, isMirrored: false }
}
