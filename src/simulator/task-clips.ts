import type { Activity } from '../engine/clock/activity.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Task, TaskStore } from '../engine/tasks/tasks.ts'
import type { FindKind } from '../apis/define/task-kind.ts'
import type { MediaSource } from '../media/source.ts'

interface ClipDeps {
  readonly kindOf: FindKind
  readonly media: MediaSource
  readonly tasks: TaskStore
  readonly activity: Activity
  readonly onWarning: (message: string) => void
  /** Whether the simulator is closed. Then failed renders are ignored. */
  readonly isClosed: () => boolean
}

/** The clips of tasks. */
export class TaskClips {
  readonly #deps: ClipDeps

  constructor(deps: ClipDeps) {
    this.#deps = deps
  }

  /** Renders the clip of a new task in advance, unless only its client moves the clock. */
  prefetch(task: Task, clock: Clock): void {
    if (clock.mode !== 'real' && clock.mode !== 'scaled' && clock.mode !== 'auto') return
    const { kindOf, media, activity, onWarning, isClosed } = this.#deps
    const [clip] = kindOf(task).clipsOf(task)
    if (!clip || !task.timeline.spans.some(({ state }) => state === task.lifecycle.roles.success)) return
    // A clock that moves by itself doesn't wait for this render, so the result must not depend on it. A failure shows in
    // the download.
    const isUnseen = clock.mode === 'auto'
    const work = media.prefetch(clip)
    void (isUnseen ? work : activity.track(work)).catch((error: Error) => {
      if (isClosed() || isUnseen) return
      onWarning(error.message)
      this.#failTask(task, clock, error.message)
    })
  }

  forget(task: Task): void {
    const { kindOf, media } = this.#deps
    for (const clip of kindOf(task).clipsOf(task)) media.forget?.(clip)
  }

  /** Fails a task if its render failed before the task would succeed. A later failure shows in the download. */
  #failTask(rendered: Task, clock: Clock, reason: string): void {
    const { tasks } = this.#deps
    const task = tasks.find(rendered.id)
    // After a reset, the same request gets the same id, but this render belongs to the old task.
    if (task?.serial !== rendered.serial || tasks.view(task, clock.now()).final) return
    tasks.transition(task, { at: clock.now(), state: task.lifecycle.roles.failure, reason, cause: 'render' })
  }
}
