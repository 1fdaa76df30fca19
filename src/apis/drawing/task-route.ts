import type { Context, Route } from '../../gateway/route.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import type { Mode } from './pace.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { aheadOf } from './queue.ts'
import { photoShown } from './shown-at.ts'
import {
  accepted,
  queuedWords,
  submitRoute,
  type CommonFields,
  type Submission,
} from './submit/submit-route.ts'
import { submitDrawing, type DrawingTasks, type DrawingWish } from './task.ts'

/** What a submission wishes for, without what every submission may say. */
export interface TaskParams extends Omit<DrawingWish, 'mode' | 'state' | 'hook'> {
  /** The mode that the prompt asks for. */
  readonly flagged?: Mode | undefined
}

/** Makes a route whose requests make one task each. */
export function taskRoute<Prepared, Wanted>(
  submission: Omit<Submission<Prepared, Wanted>, 'respond'> & {
    /** @param shown gives a picture that was named by an address of ours what it shows. */
    readonly wish: (wanted: Wanted, shown: (photo: Photo) => Photo) => TaskParams
  },
  tasks: DrawingTasks,
): Route {
  const respond = (wanted: Wanted, common: CommonFields, context: Context): Reply =>
    makeTask(
      submission.wish(wanted, (photo) => photoShown(photo, context)),
      common,
      context,
      tasks,
    )
  return submitRoute({ ...submission, respond }, tasks.settings)
}

/** Makes the task that is wished for, and says that it was accepted. */
export function makeTask(
  wish: TaskParams,
  common: CommonFields,
  context: Context,
  tasks: DrawingTasks,
  said: Parameters<typeof accepted>[3] = {},
): Reply {
  const ahead = aheadOf(context, tasks.queue)
  const task = createTask(wish, common, context, tasks)
  const queued = ahead === 0 ? {} : queuedWords(ahead, context)
  return accepted(task.record.id, context, tasks.settings, { ...queued, ...said })
}

/** Makes the task that is wished for. */
export function createTask(
  { flagged, ...wish }: TaskParams,
  common: CommonFields,
  context: Context,
  tasks: DrawingTasks,
): Task {
  const { state, hook } = common
  return submitDrawing({ ...wish, mode: common.mode(flagged), state, hook }, context, tasks)
}
