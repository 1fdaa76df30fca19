import { viewAt } from '../../engine/tasks/timeline.ts'
import type { TaskKind } from '../define/task-kind.ts'
import { videoLifecycle } from './lifecycle.ts'
import { videoRecord } from '../openai-video/retrieve.ts'
import { clipsToMake, mediaOfTask } from './task.ts'

/** Tasks of the video APIs. */
export const videoKind: TaskKind = {
  lifecycle: videoLifecycle,
  clipsOf: clipsToMake,
  mediaOf: (task) => mediaOfTask(task),
  posterOf: (task) => mediaOfTask(task),
  tryPoll: (task, now) => {
    const view = viewAt(task.timeline, task.lifecycle, now)
    videoRecord(task, view, '', { quirks: { openaiVideoStyle: 'gateway' }, retainedMs: undefined })
    mediaOfTask(task)
  },
}
