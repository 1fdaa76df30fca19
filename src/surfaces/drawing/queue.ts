import type { TaskShape } from '../../engine/lifecycle.ts'
import type { Context } from '../../gateway/route.ts'
import { DrawingRefusal } from './refusals.ts'
import type { DrawingSettings } from './settings.ts'
import { isDrawing } from './shows.ts'

/** How many tasks must end before a new one begins, and when that many have: Infinity when they never will. */
export interface Wait {
  readonly ahead: number
  readonly until: number
}

/**
 * What stands in a new task's way, where the queue is bounded: the plans of the tasks before it say when each makes
 * room.
 *
 * @assumed §2.4 a full queue is not shown; wire §7.4, codes 22 and 23.
 * @throws {DrawingRefusal} when no more may wait.
 */
export function waitFor({ tasks, namespace, now }: Context, { queue }: DrawingSettings): Wait | undefined {
  if (!queue) return undefined
  const ends = tasks
    .list(namespace.name)
    .filter((task) => isDrawing(task) && !tasks.view(task, now).final)
    .map(({ timeline, lifecycle }) => {
      const last = timeline.spans.at(-1)!
      return lifecycle.states[last.state]?.final ? last.from : Infinity
    })
    .toSorted((one, other) => one - other)
  const ahead = ends.length - queue.running
  if (ahead < 0) return undefined
  if (ahead >= queue.waiting) throw new DrawingRefusal(23, '队列已满，请稍后尝试')
  return { ahead: ahead + 1, until: ends[ahead]! }
}

/** How long a new task queues because of those before it; nothing where there is room. */
export function queueShape(context: Context, settings: DrawingSettings): TaskShape {
  const wait = waitFor(context, settings)
  if (!wait) return {}
  return { queued: wait.until === Infinity ? 'forever' : Math.max(0, wait.until - context.now) }
}
