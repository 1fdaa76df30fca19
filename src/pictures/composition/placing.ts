import { castInLandscape } from '../cast/outdoors.ts'
import { isInTheAir } from '../cast/motion.ts'
import type { View } from '../places/view.ts'

/** Whether the sky has no space for birds: a subject flies, or is very high. */
export function isSkyTaken(view: View): boolean {
  return castInLandscape(view).some((member) => isInTheAir(member) || member.icon === 'lighthouse')
}

/** The middle of the subject in a landscape. */
export function subjectX({ width, genes }: View): number {
  return width * (0.36 + genes.subjectX * 0.28)
}

/** The short side. Sizes that must fit into any frame are fractions of it. */
export function shortSide({ width, height }: View): number {
  return Math.min(width, height)
}
