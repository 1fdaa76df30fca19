import { furColours, headsOnly, sizeExceptions, sizeOfKind } from '../data/subject-tables.ts'
import { findIcon, type Icon, type SubjectKind } from '../data/subjects.ts'
import { darker, lighter, luminance, type Colour } from '../places/colour.ts'
import { tenth, thousandth } from '../places/numbers.ts'
import { ellipse, path } from '../places/shapes.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { faceIcons } from '../data/mention-words.ts'
import { drawBoard } from './letters.ts'
import { inTheLight, paintIcon, skinOf } from './recolour.ts'

/** Whether an icon is a head without a body. */
export function isHead(icon: string | undefined): boolean {
  return icon !== undefined && headsOnly.has(icon)
}

/** The kind of a member's subject. */
export function subjectKindOf(member: CastMember): SubjectKind | undefined {
  return findIcon(member.icon)?.kind
}

export interface Pose {
  /** Whether it stands in a landscape. There, letters have a post, and heads a body. */
  isOutdoors?: boolean
  isMirrored?: boolean
}

/** Draws a member alone with its feet at 0, 0, in a box of `size`. */
export function drawAlone(view: View, member: CastMember, size: number, pose: Pose = {}): string {
  const drawing = drawPlain(view, member, size, pose)
  if (member.letters) return drawing
  switch (view.scene.style) {
    case 'line':
      return `<g stroke="#2b2a28" stroke-width="0.45" stroke-linejoin="round">${drawing}</g>`
    case 'anime':
      return `<g stroke="#3b2146" stroke-width="0.5" stroke-linejoin="round">${drawing}</g>`
    case '3d':
      return drawSolid(drawing, size) + drawing
    default:
      return drawing
  }
}

/** Draws the sides of a solid figure: its dark outline, several times behind it. */
function drawSolid(drawing: string, size: number): string {
  const side = drawing.replace(/#[0-9a-f]{6}/g, (colour) => darker(colour as Colour, 0.42))
  const steps = [3, 2, 1].map((step) => tenth(size * 0.013 * step))
  return steps.map((step) => `<g transform="translate(${step},${step})">${side}</g>`).join('')
}

function drawPlain(view: View, member: CastMember, size: number, pose: Pose): string {
  const { isOutdoors = false, isMirrored = false } = pose
  if (member.letters) return drawBoard(view, member, { size, isOutdoors })
  const icon = findIcon(member.icon)
  if (!icon) return ''
  const scale = size / 32
  const drawing = drawIcon(view, member, icon, isOutdoors)
  return `<g transform="scale(${thousandth(isMirrored ? -scale : scale)},${thousandth(scale)})">${drawing}</g>`
}

/** Draws an icon in the units of icons, with the feet at 0, 0. */
function drawIcon(view: View, member: CastMember, icon: Icon, isOutdoors: boolean): string {
  const painted = paintIcon(view, member, icon)
  const toMiddle = tenth(-(icon.left + icon.right) / 2)
  if (isHead(member.icon) && isOutdoors)
    return (
      drawSeatedBody(view, member, icon) +
      `<g transform="translate(0,-11.5) scale(.66) translate(${toMiddle},${tenth(2 - icon.bottom)})">${painted}</g>`
    )
  const toGround = tenth(-icon.bottom)
  if (member.icon && faceIcons.test(member.icon))
    return (
      drawShoulders(view, member) +
      `<g transform="translate(0,-10.5) scale(.86) translate(${toMiddle},${toGround})">${painted}</g>`
    )
  return `<g transform="translate(${toMiddle},${toGround})">${painted}</g>`
}

function drawSeatedBody(view: View, member: CastMember, icon: Icon): string {
  const fur = inTheLight(view, member.colour ?? furColours[member.icon!] ?? icon.main)
  return (
    path('M-4.5,-13Q-10,-6 -8.6,0L8.6,0Q10,-6 4.5,-13Z', fur) +
    path('M-3,-9Q-5,-3 0,-1Q5,-3 3,-9Z', lighter(fur, 0.45)) +
    ellipse(-3.2, -0.6, 2.6, 1.2, darker(fur, 0.15)) +
    ellipse(3.2, -0.6, 2.6, 1.2, darker(fur, 0.15))
  )
}

/** Draws a neck and a coat in a colour of the palette. */
function drawShoulders(view: View, member: CastMember): string {
  const { accent } = view.palette
  const coat = inTheLight(view, member.colour ?? (luminance(accent) > 0.75 ? '#3b78c9' : accent))
  return (
    path('M-15,0Q-15,-9.5 -5,-10.5L5,-10.5Q15,-9.5 15,0Z', coat) +
    path('M-3.4,-14H3.4V-9.6Q0,-6.5 -3.4,-9.6Z', inTheLight(view, skinOf(member))) +
    path('M-5.4,-10.5L-3.4,-11Q0,-6 3.4,-11L5.4,-10.5Q0,-3 -5.4,-10.5Z', lighter(coat, 0.25))
  )
}

/** The height of a member's box, relative to others. */
export function baseSizeOf({ icon = '', letters, ...member }: CastMember): number {
  if (letters) return 320 * member.scale
  const exception = sizeExceptions.find(([icons]) => icons.test(icon))?.[1]
  return (exception ?? sizeOfKind[findIcon(icon)?.kind ?? 'thing']) * member.scale
}

/** The height of a member's box in a landscape, in world units. Fewer members are larger. */
export function memberSizeOf(view: View, member: CastMember): number {
  const unit = Math.min(view.width, view.height) / 1000
  const base = baseSizeOf(member) / member.scale
  const figures = (view.scene.cast?.length ?? 1) + member.count - 1
  const boost = figures === 1 ? Math.max(1.18, 330 / base) : figures === 2 ? Math.max(1.06, 260 / base) : 1
  return unit * base * boost * (view.scene.family === 'room' ? 1.25 : 1) * member.scale
}
