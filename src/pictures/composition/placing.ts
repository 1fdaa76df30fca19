import { castInLandscape } from '../cast/outdoors.ts'
import { isInTheAir } from '../cast/motion.ts'
import type { View } from '../places/view.ts'

/** Whether there is no room for birds: something flies, or is very high. */
export function isSkyTaken(view: View): boolean {
  return castInLandscape(view).some((member) => isInTheAir(member) || member.icon === 'lighthouse')
}

/** The middle of the subject in a landscape. */
export function subjectX({ width, genes }: View): number {
  return width * (0.36 + genes.subjectX * 0.28)
}

/** Sizes that must fit into any frame are parts of it. */
export function shortSide({ width, height }: View): number {
  return Math.min(width, height)
}
