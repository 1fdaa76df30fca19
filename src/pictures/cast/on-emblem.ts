import { sizeOfKind } from '../data/subject-tables.ts'
import { findIcon } from '../data/subjects.ts'
import { mix, tenth, wave } from '../places/numbers.ts'
import { ellipse } from '../places/shapes.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { asCast, drawFigure, freeCast, hasAttached } from './attached.ts'
import { isHead, subjectKindOf } from './figure.ts'
import { drawMonogram } from './letters.ts'

interface Frame {
  x: number
  y: number
  /** The short side of the frame. */
  side: number
  /** The height of the table; undefined if there is none. */
  table?: number | undefined
}

/** The sizes of one to six figures, as fractions of the short side: all of them fit into the frame. */
const boxes = [0.52, 0.4, 0.32, 0.25, 0.2, 0.17]

/** Draws the cast large in the middle, on a table or in front of the disc. */
export function drawOnEmblem(view: View, frame: Frame): string {
  const cast = freeCast(view)
  const [only] = cast
  if (cast.length === 1 && only?.letters && only.letters.length <= 2)
    return drawMonogram(view, only.letters, frame)
  const figures = cast
    .flatMap((member) =>
      Array.from({ length: member.count }, (_, index) => ({
        ...member,
        seed: mix(member.seed, index),
        tone: (member.tone + index) % 5,
      })),
    )
    .slice(0, boxes.length)
  const { length: count } = figures
  return asCast(figures.map((member, index) => drawInRow(view, frame, { member, index, count })).join(''))
}

function drawInRow(
  view: View,
  { x, y, side, table }: Frame,
  { member, index, count }: { member: CastMember; index: number; count: number },
): string {
  const box = side * boxes[count - 1]!
  const slot = count === 3 ? [0, -1, 1][index]! : index - (count - 1) / 2
  const icon = findIcon(member.icon)
  const isMinor = index > 0 && icon !== undefined && sizeOfKind[icon.kind] < 200
  const scale = hasAttached(view, member) ? 0.82 : isMinor ? 0.8 : 1
  const size = box * (1 + 0.03 * view.time) * scale
  const height = icon ? ((icon.bottom - icon.top) / 32) * size : size
  const lift = member.at === 'above' ? box * 0.45 : 0
  const bob = table === undefined ? 7 * (wave(view.time + index * 0.2) - wave(index * 0.2)) : 0
  const middle = x + slot * box * (count === 2 ? 0.98 : 0.94)
  const feet = (table === undefined ? y + height / 2 : table + 6) + bob - lift
  const shadow =
    table !== undefined && lift === 0
      ? ellipse(middle, table + 8, size * 0.42, 13, view.palette.ink, { opacity: 0.28 })
      : ''
  const isMirrored = count === 1 && !member.letters && view.genes.flip > 0.5 && !isLegible(member)
  const place = `translate(${tenth(middle)},${tenth(feet)}) rotate(${tenth(2 * wave(view.time))})`
  return `${shadow}<g transform="${place}">${drawFigure(view, member, size, { isMirrored })}</g>`
}

/** Whether a member has letters, a dial or strings, which must not be mirrored. */
function isLegible({ icon }: CastMember): boolean {
  return /guitar|watch|clock|keyboard|book|calendar|die|sign|piano|newspaper/.test(icon ?? '')
}

const floatingKinds = new Set(['sky', 'aircraft', 'boat', 'fish', 'bug', 'body', 'place', 'shape'])

/** Whether a member stands on a table rather than in front of the disc. */
export function standsOnTable(member: CastMember): boolean {
  if (member.letters || isHead(member.icon)) return false
  if (member.icon === 'red-heart' || member.icon === 'handshake') return false
  return !floatingKinds.has(subjectKindOf(member) ?? '')
}
