import { drawSubject } from './draw-subject.ts'
import { subjectNamed } from './cast.ts'
import { wave } from '../places/numbers.ts'
import { ellipse, placed } from '../places/shapes.ts'
import { layer, type View } from '../places/view.ts'

/** Where a subject stands, or floats. */
export interface Stand {
  x: number
  /** The height of its feet. */
  y: number
  /** Half its height. */
  size: number
  depth: number
  /** Degrees. */
  turn?: number
}

/** Draws the subject at home in a landscape: on the ground at a height, or in the sky. */
export function drawSubjectOutdoors(view: View, ground: number, depth: number): string {
  const inTheSky = subjectInTheSky(view)
  if (inTheSky) {
    const { x, y, radius } = inTheSky
    const feet = y + radius + 8 * wave(view.time)
    return drawSubjectAt(view, { x, y: feet, size: radius, depth: depth * 0.4 }, 'alone')
  }
  if (!view.scene.subject) return ''
  const size = shortSide(view) * (0.155 + view.genes.size * 0.045)
  return drawWithShadow(view, { x: subjectX(view), y: ground, size, depth })
}

/** Draws the subject with a shadow at its feet. */
export function drawWithShadow(view: View, stand: Stand): string {
  const { x, y, size, depth } = stand
  const shadow = ellipse(x, y, size * 0.95, size * 0.1, view.palette.ink, { opacity: 0.28 })
  return layer(view, depth, shadow) + drawSubjectAt(view, stand, 'whole')
}

/** Draws the subject without a shadow. */
export function drawSubjectAt(view: View, stand: Stand, pose: 'alone' | 'whole'): string {
  const { x, y, size, depth, turn = 0 } = stand
  const drawing = drawSubject(view.scene, view.palette, pose)
  return layer(view, depth, placed(drawing, { x, y: y - size, scale: size / 100, turn }))
}

/** Where the subject flies, for those that do. */
export function subjectInTheSky(view: View): { x: number; y: number; radius: number } | undefined {
  const { subject } = view.scene
  if (!subject || subjectNamed(subject).element !== 'sky') return undefined
  return { x: subjectX(view), y: view.horizon * 0.52, radius: shortSide(view) * 0.15 }
}

/** What birds must fly around: a subject in the sky, or one that is high enough. */
export function subjectAgainstTheSky(view: View): { x: number; y: number; radius: number } | undefined {
  if (view.scene.subject !== 'lighthouse') return subjectInTheSky(view)
  return { x: subjectX(view), y: view.horizon - 260, radius: 130 }
}

/** Whether trees must leave a clearing. */
export function hasSubjectOnTheGround(view: View): boolean {
  return view.scene.subject !== undefined && subjectInTheSky(view) === undefined
}

/** The middle of the subject in a landscape. */
export function subjectX({ width, genes }: View): number {
  return width * (0.36 + genes.subjectX * 0.28)
}

/** Sizes that must fit into any frame are parts of it. */
export function shortSide({ width, height }: View): number {
  return Math.min(width, height)
}
