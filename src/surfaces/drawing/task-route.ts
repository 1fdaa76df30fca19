import type { Context, Route } from '../../gateway/route.ts'
import type { Reply } from '../../gateway/reply.ts'
import type { Mode } from './pace.ts'
import { accepted, queuedWords, submitRoute, type CommonFields, type Submission } from './submit-route.ts'
import { submitDrawing, type DrawingTasks, type DrawingWish } from './task.ts'

/** What a submission wishes for, without what every submission may say. */
export interface Wish extends Omit<DrawingWish, 'mode' | 'state' | 'hook'> {
  /** The mode that the prompt asks for. */
  readonly flagged?: Mode | undefined
}

/** Makes a route whose requests make one task each. */
export function taskRoute<Prepared, Wanted>(
  submission: Omit<Submission<Prepared, Wanted>, 'respond'> & { readonly wish: (wanted: Wanted) => Wish },
  tasks: DrawingTasks,
): Route {
  const respond = (wanted: Wanted, common: CommonFields, context: Context): Reply =>
    makeTask(submission.wish(wanted), common, context, tasks)
  return submitRoute({ ...submission, respond }, tasks.settings)
}

/** Makes the task that is wished for, and says that it was accepted. */
export function makeTask(
  { flagged, ...wish }: Wish,
  common: CommonFields,
  context: Context,
  tasks: DrawingTasks,
  said: Parameters<typeof accepted>[3] = {},
): Reply {
  const { settings } = tasks
  const queued = queuedWords(context, settings)
  const { state, hook } = common
  const task = submitDrawing({ ...wish, mode: common.mode(flagged), state, hook }, context, tasks)
  return accepted(task.record.id, context, settings, { ...queued, ...said })
}
