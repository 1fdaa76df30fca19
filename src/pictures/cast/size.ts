import { sizeExceptions, sizeOfKind } from '../data/subject-tables.ts'
import { findIcon } from '../data/subjects.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'

/** The height of a member's box, relative to others. */
export function baseSizeOf({ icon = '', letters, ...member }: CastMember): number {
  if (letters) return 320 * member.scale
  const exception = sizeExceptions.find(([icons]) => icons.test(icon))?.[1]
  return (exception ?? sizeOfKind[findIcon(icon)?.kind ?? 'thing']) * member.scale
}

/** The height of a member's box in a landscape, in world units. Fewer members are larger. */
export function sizeOf(view: View, member: CastMember): number {
  const unit = Math.min(view.width, view.height) / 1000
  const base = baseSizeOf(member) / member.scale
  const figures = (view.scene.cast?.length ?? 1) + member.count - 1
  const boost = figures === 1 ? Math.max(1.18, 330 / base) : figures === 2 ? Math.max(1.06, 260 / base) : 1
  return unit * base * boost * (view.scene.family === 'room' ? 1.25 : 1) * member.scale
}
