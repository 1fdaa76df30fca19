import { inOnePiece } from '../../engine/one-piece.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import type { Context } from '../route.ts'

/** What a task was last seen as, and by whom it was asked for. */
class Seen {
  readonly view: TaskView
  readonly origin: string
  readonly body: string

  constructor(view: TaskView, origin: string, body: string) {
    this.view = view
    this.origin = origin
    this.body = body
  }
}

/** Longer ones are rare, and not worth the memory. */
const maxRememberedLength = 8_000

/**
 * The bodies of polls. Clients ask again and again while nothing changes, and are then given the same text again. It is
 * remembered with the task, for as long as the store remembers what follows from one.
 */
export class PollBodies {
  readonly #write: (task: Task, view: TaskView, context: Context) => string

  /** @param write a body: the same for a task that looks the same, asked for at the same origin. */
  constructor(write: (task: Task, view: TaskView, context: Context) => string) {
    this.#write = write
  }

  of(task: Task, view: TaskView, context: Context): string {
    const { origin } = context
    const { shown } = task
    if (shown instanceof Seen && shown.origin === origin && looksTheSame(shown.view, view)) return shown.body
    const body = inOnePiece(this.#write(task, view, context))
    if (body.length <= maxRememberedLength) task.shown = new Seen(view, origin, body)
    return body
  }
}

/** A task that was changed from outside is another object; of the same, the state says all but the progress. */
function looksTheSame(one: TaskView, other: TaskView): boolean {
  return one.state === other.state && one.progress === other.progress && one.since === other.since
}
