import { latestInstant } from '../engine/clock/clock-settings.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import type { Amendment, TaskRecord } from '../engine/tasks/plan.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import { timelineOf, viewAt } from '../engine/tasks/timeline.ts'
import { clipsOf } from '../apis/drawing/images/films.ts'
import { drawingRecord } from '../apis/drawing/record.ts'
import { isDrawing } from '../apis/drawing/shows.ts'
import { videoRecord } from '../apis/openai-video/view.ts'
import { mediaOfTask } from '../apis/video/task.ts'

/**
 * Whether a task from elsewhere can be shown: it is, as whoever asks for it would see it in the beginning and in the end.
 * What a surface keeps of a request is its own matter, so it is tried, not described a second time.
 */
export function canBeShown(
  record: TaskRecord,
  amendments: readonly Amendment[],
  { lifecycle, draws }: { lifecycle: Lifecycle; draws: Draws },
): boolean {
  try {
    const timeline = timelineOf(record, amendments, lifecycle)
    const rest = { serial: 0, lastLook: 0, looks: 0, requests: 0, key: undefined, shown: undefined }
    const task: Task = { ...rest, id: record.id, record, amendments, lifecycle, timeline }
    for (const now of [record.submittedAt, latestInstant]) show(task, now, draws)
    return true
  } catch {
    return false
  }
}

function show(task: Task, now: number, draws: Draws): void {
  const view = viewAt(task.timeline, task.lifecycle, now)
  if (isDrawing(task)) {
    drawingRecord(task, { view, now, origin: '', draws })
    clipsOf(task)
  } else {
    videoRecord(task, view, '')
    mediaOfTask(task)
  }
}
