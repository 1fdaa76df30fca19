import type { Workers } from '../../engine/tasks/workers.ts'
import type { Context } from '../../gateway/route.ts'
import { DrawingRefusal } from './refusals.ts'

/** A queue of bounded length, and who works it off. */
export interface DrawingQueue {
  readonly workers: Workers
  readonly running: number
  readonly waiting: number
}

/**
 * How many stand in front of a new task.
 *
 * @assumed §2.4 a full queue is not shown; wire §7.4, codes 22 and 23.
 * @param more how many are to be made at once.
 * @returns 0 where there is room.
 * @throws {DrawingRefusal} when no more may wait.
 */
export function aheadOf({ namespace, now }: Context, queue: DrawingQueue | undefined, more = 1): number {
  if (!queue) return 0
  const { working, waiting } = queue.workers.line(namespace.name, now)
  const surplus = working + waiting + more - queue.running
  if (surplus > queue.waiting) throw new DrawingRefusal(23, '队列已满，请稍后尝试')
  return Math.max(0, surplus - more + 1)
}
