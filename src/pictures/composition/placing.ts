import { castInLandscape } from '../cast/outdoors.ts'
import { isInTheAir } from '../cast/motion.ts'
import type { View } from '../places/view.ts'

/** What birds must fly around: a member in the sky, or one that is high enough. */
export function obstacleInSky(view: View): { x: number; y: number; radius: number } | undefined {
  const cast = castInLandscape(view)
  if (cast.some(isInTheAir)) return { x: view.width * 0.6, y: view.horizon * 0.5, radius: 170 }
  if (cast.some(({ icon }) => icon === 'lighthouse'))
    return { x: subjectX(view), y: view.horizon - 260, radius: 130 }
  return undefined
}

/** The middle of the subject in a landscape. */
export function subjectX({ width, genes }: View): number {
  return width * (0.36 + genes.subjectX * 0.28)
}

/** Sizes that must fit into any frame are parts of it. */
export function shortSide({ width, height }: View): number {
  return Math.min(width, height)
}
