import type { Task } from '../../../engine/tasks/tasks.ts'
import { viewAt } from '../../../engine/tasks/timeline.ts'
import type { MediaSpec } from '../../../media/spec.ts'
import type { TaskKind } from '../../define/task-kind.ts'
import { clipsOf } from '../composition.ts'
import { drawingLifecycle } from '../lifecycle.ts'
import { drawingRecord } from '../record.ts'
import { drawingRequest, mediaFor } from '../result.ts'

/** Tasks of the drawing channel. */
export const drawingKind: TaskKind = {
  lifecycle: drawingLifecycle,
  clipsOf,
  mediaOf: (task) => {
    const [clip] = clipsOf(task)
    return clip ? mediaFor(task, clip, undefined) : posterOf(task)
  },
  posterOf,
  tryPoll: (task, now, draws) => {
    drawingRecord(task, { view: viewAt(task.timeline, task.lifecycle, now), now, origin: '', draws })
    clipsOf(task)
  },
}

function posterOf(task: Task): MediaSpec | undefined {
  const { drawing } = drawingRequest(task)
  return drawing && mediaFor(task, { kind: 'picture', drawing }, undefined)
}
