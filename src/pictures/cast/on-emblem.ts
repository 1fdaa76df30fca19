import { findIcon } from '../data/subjects.ts'
import { mix, tenth, wave } from '../places/numbers.ts'
import { ellipse } from '../places/shapes.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { drawFigure, isHead, kindOf } from './figure.ts'
import { drawMonogram } from './letters.ts'
import { castIn } from './outdoors.ts'
import { sizeOfKind } from './size.ts'

interface Frame {
  x: number
  y: number
  /** The short side of the frame. */
  side: number
  /** The height of the table, where there is one. */
  table?: number | undefined
}

const maxFigures = 5

/** The cast large in the middle: on a table, on a carrier, or before the disc. */
export function drawOnEmblem(view: View, frame: Frame): string {
  const cast = castIn(view)
  const [only] = cast
  if (cast.length === 1 && only?.letters && only.letters.length <= 2)
    return drawMonogram(view, only.letters, frame)
  const carrier = cast.find(({ icon }) => cast.some(({ at, on }) => at === 'on' && on === icon))
  if (carrier) return drawCarried(view, frame, carrier)
  return drawRow(view, frame)
}

function drawRow(view: View, { x, y, side, table }: Frame): string {
  const figures = castIn(view)
    .flatMap((member) =>
      Array.from({ length: Math.min(member.count, 4) }, (_, index) => ({
        ...member,
        seed: mix(member.seed, index),
        tone: (member.tone + index) % 5,
      })),
    )
    .slice(0, maxFigures)
  const count = figures.length
  const box = side * ([0.52, 0.4, 0.33][count - 1] ?? 0.27)
  return figures
    .map((member, index) => {
      const slot = count === 3 ? [0, -1, 1][index]! : index - (count - 1) / 2
      const icon = findIcon(member.icon)
      const isMinor = index > 0 && icon !== undefined && sizeOfKind[icon.kind] < 200
      const size = box * (1 + 0.03 * view.time) * (isMinor ? 0.8 : 1)
      const height = icon ? ((icon.bottom - icon.top) / 32) * box : box
      const lift = member.at === 'above' ? box * 0.45 : 0
      const isOnTable = table !== undefined && lift === 0
      const bob = table === undefined ? 7 * (wave(view.time + index * 0.2) - wave(index * 0.2)) : 0
      const middle = x + slot * box * (count === 2 ? 0.98 : 0.92)
      const feet = (table === undefined ? y + height / 2 : table + 6) + bob - lift
      const shadow = isOnTable
        ? ellipse(middle, table + 8, size * 0.42, 13, view.palette.ink, { opacity: 0.28 })
        : ''
      const isMirrored = count === 1 && !member.letters && view.genes.flip > 0.5 && !isLegible(member)
      const place = `translate(${tenth(middle)},${tenth(feet)}) rotate(${tenth(2 * wave(view.time))})`
      return `${shadow}<g transform="${place}">${drawFigure(view, member, size, { isMirrored })}</g>`
    })
    .join('')
}

/** Letters, dials and strings read one way only. */
function isLegible({ icon, own }: CastMember): boolean {
  return (
    own !== undefined || /guitar|watch|clock|keyboard|book|calendar|die|sign|piano|newspaper/.test(icon ?? '')
  )
}

const bugSpots = [
  [-0.3, -0.42],
  [0.28, -0.5],
  [0.02, -0.3],
  [-0.34, -0.12],
  [0.36, -0.2],
  [0.1, -0.56],
] as const

/** One member with others on top of it; bugs all over it. */
function drawCarried(view: View, { x, y, side, table }: Frame, carrier: CastMember): string {
  const box = side * 0.5
  const feet = table === undefined ? y + box / 2 : table + 6
  const riders = castIn(view).filter(({ at, on }) => at === 'on' && on === carrier.icon)
  const drawn = riders.flatMap((rider) =>
    Array.from({ length: Math.min(rider.count, bugSpots.length) }, (_, index) => {
      const isBug = kindOf(rider) === 'bug'
      const [acrossBox, upBox] = isBug
        ? bugSpots[index]!
        : [(index - (rider.count - 1) / 2) * 0.42, -0.26 - 0.02 * (index & 1)]
      const size = box * (isBug ? 0.26 : rider.count > 1 ? 0.46 : 0.56)
      const bob = isBug ? 9 * wave(view.time * 3 + index * 0.3) + size / 2 : 0
      const place = `translate(${tenth(x + acrossBox * box)},${tenth(feet + upBox * box + bob)})`
      const figure = drawFigure(view, { ...rider, seed: mix(rider.seed, index) }, size, {
        isOutdoors: true,
        isMirrored: (index & 1) === 1,
      })
      return `<g transform="${place}">${figure}</g>`
    }),
  )
  return `<g transform="translate(${tenth(x)},${tenth(feet)})">${drawFigure(view, carrier, box)}</g>${drawn.join('')}`
}

const floatingKinds = new Set(['sky', 'aircraft', 'boat', 'fish', 'bug', 'body', 'place', 'shape'])

/** Whether a member stands on a table rather than before the disc. */
export function standsOnTable(member: CastMember): boolean {
  if (member.letters || isHead(member.icon)) return false
  if (member.icon === 'red-heart' || member.icon === 'handshake') return false
  return !floatingKinds.has(kindOf(member) ?? '')
}
