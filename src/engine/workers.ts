import type { EventLog, SimulatorEvent } from './tasks/events.ts'
import type { OpenTasks } from './tasks/open-tasks.ts'
import { timelineOf } from './tasks/timeline.ts'
import type { Task, TaskStore } from './tasks/tasks.ts'

/** How many of certain tasks are worked on at a time. */
export interface Workforce {
  readonly workers: number
  /** Which tasks they work on. */
  readonly concerns: (task: Task) => boolean
}

/** What workers need to know. */
export interface WorkersParts {
  readonly tasks: TaskStore
  readonly open: OpenTasks
  readonly events: EventLog
  readonly now: (namespace: string) => number
}

/** A line as it was arranged. */
interface Line {
  /** When each worker is free. */
  readonly free: readonly number[]
  /** The latest task that stands in it. */
  readonly upTo: number
}

/**
 * Lets tasks wait for each other where only so many are worked on at a time: in the order in which they came, each
 * begins when one before it has ended. Whenever something changes, the line is arranged anew, by amendments; a new task
 * is put at its end.
 */
export class Workers {
  readonly #tasks: TaskStore
  readonly #open: OpenTasks
  readonly #force: Workforce
  readonly #now: (namespace: string) => number
  #arranging = false
  /** Lines in which nothing but new tasks can change anything. */
  readonly #known = new Map<string, Line>()
  #generation = 0
  /** What others have changed while a line was arranged. */
  #changedMeanwhile = 0

  /**
   * @param parts `open` must hear of events first; `now` is the instant on a namespace's clock.
   * @param force how many work, and on what.
   */
  constructor(parts: WorkersParts, force: Workforce) {
    this.#tasks = parts.tasks
    this.#open = parts.open
    this.#force = force
    this.#now = parts.now
    parts.events.subscribe((event) => this.#hear(event))
  }

  /**
   * What a task that came now would have in front of it.
   * @returns how many are worked on, and how many wait for it.
   */
  line(namespace: string, now: number): { working: number; waiting: number } {
    const tasks = this.#concerned(namespace, now)
    const working = tasks.filter((task) => begunBy(task, now)).length
    return { working, waiting: tasks.length - working }
  }

  #hear(event: SimulatorEvent): void {
    if (event.type === 'tasks.cleared') this.#known.delete(event.namespace)
    if (this.#arranging) {
      this.#changedMeanwhile++
      return
    }
    const isMine =
      event.type === 'task.submitted' || event.type === 'task.amended' || event.type === 'task.removed'
    if (!isMine) return
    const namespace = event.type === 'task.submitted' ? event.task.namespace : event.namespace
    this.#arranging = true
    try {
      const now = Math.max(event.at, this.#now(namespace))
      const { id } = event.type === 'task.submitted' ? event.task : event
      if (!this.#join(namespace, id, now)) this.#arrange(namespace, now)
      if (this.#changedMeanwhile > 0) this.#known.delete(namespace)
      this.#changedMeanwhile = 0
    } finally {
      this.#arranging = false
    }
  }

  /** Puts a new task at the end of a line that is known. @returns false where the line is to be arranged anew. */
  #join(namespace: string, id: string, now: number): boolean {
    if (this.#generation !== this.#open.generation) this.#known.clear()
    const known = this.#known.get(namespace)
    const task = this.#tasks.find(id)
    if (!known || !task) return false
    if (!this.#force.concerns(task)) return true
    if (task.serial <= known.upTo || everAsks(task)) return false
    const free = known.free.filter((instant) => instant > now)
    while (free.length < this.#force.workers) free.push(now)
    this.#place(task, free, now)
    this.#known.set(namespace, { free, upTo: task.serial })
    return true
  }

  #arrange(namespace: string, now: number): void {
    const tasks = this.#concerned(namespace, now)
    const free = tasks.filter((task) => begunBy(task, now)).map(endOf)
    while (free.length < this.#force.workers) free.push(now)
    for (const task of tasks.filter((one) => !begunBy(one, now)).toSorted(byReadiness)) {
      this.#place(task, free, now)
    }
    const all = this.#open.list(namespace, now).filter((task) => this.#force.concerns(task))
    const upTo = all.reduce((latest, { serial }) => Math.max(latest, serial), 0)
    // Who waits for its client leaves the line, and comes back to it, by itself.
    if (all.some(everAsks)) this.#known.delete(namespace)
    else this.#known.set(namespace, { free, upTo })
    this.#generation = this.#open.generation
  }

  /** Gives a task to the worker that is free first. */
  #place(task: Task, free: number[], now: number): void {
    const natural = naturalBegin(task)
    // Who waits for ever by itself takes nobody's place.
    if (natural === Infinity) return
    free.sort((one, other) => one - other)
    const begins = Math.max(natural, free.shift()!)
    if (begins !== beginOf(task)) {
      this.#changedMeanwhile--
      this.#tasks.begin(task, { at: now, begins: begins === Infinity ? null : begins })
    }
    free.push(begins + workMs(this.#tasks.find(task.id)!))
  }

  /** Those that stand in line or are worked on; a task that waits for its client does neither. */
  #concerned(namespace: string, now: number): Task[] {
    return this.#open.list(namespace, now).filter((task) => {
      if (!this.#force.concerns(task)) return false
      return task.lifecycle.states[this.#tasks.view(task, now).state]?.on === undefined
    })
  }
}

/** Whether it waits for its client's word at some time of its life. */
function everAsks({ timeline, lifecycle }: Task): boolean {
  return timeline.spans.some(({ state }) => lifecycle.states[state]?.on !== undefined)
}

function beginOf({ timeline, lifecycle }: Task): number {
  return timeline.spans.find(({ state }) => state === lifecycle.roles.work)?.from ?? Infinity
}

function begunBy(task: Task, now: number): boolean {
  return beginOf(task) <= now
}

/** When the task would begin if nobody were in front of it. */
function naturalBegin({ record, amendments, lifecycle }: Task): number {
  const alone = timelineOf(
    record,
    amendments.filter(({ kind }) => kind !== 'begin'),
    lifecycle,
  )
  return alone.spans.find(({ state }) => state === lifecycle.roles.work)?.from ?? Infinity
}

function endOf({ timeline, lifecycle }: Task): number {
  const last = timeline.spans.at(-1)!
  return lifecycle.states[last.state]?.final ? last.from : Infinity
}

function workMs(task: Task): number {
  const [begins, ends] = [beginOf(task), endOf(task)]
  return ends === Infinity || begins === Infinity ? Infinity : ends - begins
}

/** Who was answered late came late. */
function byReadiness(one: Task, other: Task): number {
  return readyAt(one) - readyAt(other)
}

function readyAt({ record, amendments }: Task): number {
  const answer = amendments.find(({ kind }) => kind === 'confirm')
  return answer?.at ?? record.submittedAt
}
