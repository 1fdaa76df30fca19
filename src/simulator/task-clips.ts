import type { Clock } from '../engine/clock/clock.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import type { FindKind } from '../apis/define/api.ts'
import type { Core } from '../gateway/core.ts'

type ClipCore = Pick<Core, 'events' | 'media' | 'tasks' | 'namespaces' | 'activity' | 'onWarning'>

/** The clips of tasks: renders those of new tasks, and forgets those of removed ones. */
export class TaskClips {
  readonly #core: ClipCore
  readonly #kindOf: FindKind
  #isClosed = false

  constructor(core: ClipCore, kindOf: FindKind) {
    this.#core = core
    this.#kindOf = kindOf
    core.events.on('task.submitted', ({ task: { id, namespace } }) =>
      this.#prefetch(core.tasks.find(id)!, core.namespaces.get(namespace).clock),
    )
    core.tasks.onRemoved((task) => this.#forget(task))
  }

  /** From now on, failed renders are ignored. */
  close(): void {
    this.#isClosed = true
  }

  /** Renders the clip of a new task in advance, unless only its client moves the clock. */
  #prefetch(task: Task, clock: Clock): void {
    if (clock.mode !== 'real' && clock.mode !== 'scaled' && clock.mode !== 'auto') return
    const { media, activity, onWarning } = this.#core
    const [clip] = this.#kindOf(task).clipsOf(task)
    if (!clip || !task.timeline.spans.some(({ state }) => state === task.lifecycle.roles.success)) return
    // A clock that moves by itself doesn't wait for this render, so the result must not depend on it. A failure shows in
    // the download.
    const isUnseen = clock.mode === 'auto'
    const work = media.prefetch(clip)
    void (isUnseen ? work : activity.track(work)).catch((error: Error) => {
      if (this.#isClosed || isUnseen) return
      onWarning(error.message)
      this.#failTask(task, clock, error.message)
    })
  }

  #forget(task: Task): void {
    const { media } = this.#core
    for (const clip of this.#kindOf(task).clipsOf(task)) media.forget?.(clip)
  }

  /** Fails a task if its render failed before the task would succeed. A later failure shows in the download. */
  #failTask(rendered: Task, clock: Clock, reason: string): void {
    const { tasks } = this.#core
    const task = tasks.find(rendered.id)
    // After a reset, the same request gets the same id, but this render belongs to the old task.
    if (task?.serial !== rendered.serial || tasks.view(task, clock.now()).final) return
    tasks.transition(task, { at: clock.now(), state: task.lifecycle.roles.failure, reason, cause: 'render' })
  }
}
