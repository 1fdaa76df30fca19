import type { EventLog, SimulatorEvent } from './events.ts'
import type { OpenTasks } from './open-tasks.ts'
import type { Task, TaskStore } from './tasks.ts'
import { endOfTimeline, reaches, timelineOf, waitsForClient } from './timeline.ts'

/** How many tasks of a kind run at a time. */
interface Workforce {
  readonly workers: number
  /** Selects the tasks that the workers take. */
  readonly concerns: (task: Task) => boolean
}

/** The state of a queue after its latest arrangement. */
interface Queue {
  /** When each worker is free. */
  readonly free: readonly number[]
  /** The serial number of its last task. */
  readonly last: number
}

/**
 * Queues tasks for a limited number of workers, first come, first served. A new task is only appended. Every other
 * change arranges the queue again, by amendments.
 */
export class Workers {
  readonly #tasks: TaskStore
  readonly #open: OpenTasks
  readonly #force: Workforce
  readonly #now: (namespace: string) => number
  #isArranging = false
  /** By namespace: queues that only a new task can change. */
  readonly #queues = new Map<string, Queue>()
  #generation = 0
  /** How many changes came from outside while a queue was arranged. */
  #changedMeanwhile = 0

  /**
   * @param core `open` must hear of events before the workers do.
   * @param force how many workers there are, and their tasks.
   */
  constructor(
    core: {
      readonly tasks: TaskStore
      readonly open: OpenTasks
      readonly events: EventLog
      readonly namespaces: { get(name: string): { readonly clock: { now(): number } } }
    },
    force: Workforce,
  ) {
    this.#tasks = core.tasks
    this.#open = core.open
    this.#force = force
    this.#now = (namespace) => core.namespaces.get(namespace).clock.now()
    core.events.subscribe((event) => this.#hear(event))
  }

  /** Counts the tasks ahead of one that is submitted now. */
  line(namespace: string, now: number): { working: number; waiting: number } {
    const tasks = this.#concerned(namespace, now)
    const working = tasks.filter((task) => beginOf(task) <= now).length
    return { working, waiting: tasks.length - working }
  }

  #hear(event: SimulatorEvent): void {
    if (event.type === 'tasks.cleared') this.#queues.delete(event.namespace)
    if (this.#isArranging) {
      this.#changedMeanwhile++
      return
    }
    if (event.type !== 'task.submitted' && event.type !== 'task.amended' && event.type !== 'task.removed')
      return
    const { namespace, id } = event.type === 'task.submitted' ? event.task : event
    this.#isArranging = true
    try {
      const now = Math.max(event.at, this.#now(namespace))
      if (!this.#append(namespace, id, now)) this.#arrange(namespace, now)
      if (this.#changedMeanwhile > 0) this.#queues.delete(namespace)
      this.#changedMeanwhile = 0
    } finally {
      this.#isArranging = false
    }
  }

  /** Appends a new task to a known queue. @returns false if the queue has to be arranged again. */
  #append(namespace: string, id: string, now: number): boolean {
    if (this.#generation !== this.#open.generation) this.#queues.clear()
    const known = this.#queues.get(namespace)
    const task = this.#tasks.find(id)
    if (!known || !task) return false
    if (!this.#force.concerns(task)) return true
    if (task.serial <= known.last || waitsForClient(task.timeline, task.lifecycle)) return false
    const free = known.free.filter((instant) => instant > now)
    while (free.length < this.#force.workers) free.push(now)
    this.#assign(task, free, now)
    this.#queues.set(namespace, { free, last: task.serial })
    return true
  }

  #arrange(namespace: string, now: number): void {
    const tasks = this.#concerned(namespace, now)
    const free = tasks.filter((task) => beginOf(task) <= now).map(endOf)
    while (free.length < this.#force.workers) free.push(now)
    const queued = tasks.filter((task) => beginOf(task) > now)
    for (const task of queued.toSorted((one, other) => readyAt(one) - readyAt(other)))
      this.#assign(task, free, now)
    const all = this.#open.list(namespace, now).filter((task) => this.#force.concerns(task))
    const last = all.reduce((latest, { serial }) => Math.max(latest, serial), 0)
    // A task that waits for its client leaves the queue and returns without an event.
    if (all.some(({ timeline, lifecycle }) => waitsForClient(timeline, lifecycle)))
      this.#queues.delete(namespace)
    else this.#queues.set(namespace, { free, last })
    this.#generation = this.#open.generation
  }

  /** Gives a task to the worker that is free first. */
  #assign(task: Task, free: number[], now: number): void {
    const earliest = earliestBegin(task)
    // The task never begins by itself, so it takes no worker.
    if (earliest === Infinity) return
    free.sort((one, other) => one - other)
    const begins = Math.max(earliest, free.shift()!)
    if (begins !== beginOf(task)) {
      this.#changedMeanwhile--
      this.#tasks.begin(task, { at: now, begins: begins === Infinity ? null : begins })
    }
    const planned = this.#tasks.find(task.id)!
    const [begin, end] = [beginOf(planned), endOf(planned)]
    free.push(end === Infinity ? Infinity : begins + end - begin)
  }

  /** The tasks in the queue and at work, without those that wait for their client. */
  #concerned(namespace: string, now: number): Task[] {
    return this.#open.list(namespace, now).filter((task) => {
      if (!this.#force.concerns(task)) return false
      return task.lifecycle.states[this.#tasks.view(task, now).state]?.on === undefined
    })
  }
}

function beginOf({ timeline, lifecycle }: Task): number {
  return reaches(timeline, lifecycle.roles.work) ?? Infinity
}

/** When a task would begin if there were no queue. */
function earliestBegin({ record, amendments, lifecycle }: Task): number {
  const others = amendments.filter(({ kind }) => kind !== 'begin')
  return reaches(timelineOf(record, others, lifecycle), lifecycle.roles.work) ?? Infinity
}

function endOf({ timeline, lifecycle }: Task): number {
  return endOfTimeline(timeline, lifecycle)
}

/** When a task enters the queue: at its submission, or when its client has confirmed it. */
function readyAt({ record, amendments }: Task): number {
  return amendments.find(({ kind }) => kind === 'confirm')?.at ?? record.submittedAt
}
