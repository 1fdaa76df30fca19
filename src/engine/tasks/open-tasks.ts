import type { EventLog, SimulatorEvent } from './events.ts'
import type { Task, TaskStore } from './tasks.ts'
import { endOfTimeline, waitsForClient } from './timeline.ts'

/**
 * An index of the tasks that have not ended, so that no query goes through all tasks. A namespace is indexed on its
 * first query.
 */
export class OpenTasks {
  readonly #tasks: TaskStore
  readonly #byNamespace = new Map<string, OpenInNamespace>()
  #generation = 0

  constructor(tasks: TaskStore, events: EventLog) {
    this.#tasks = tasks
    events.subscribe((event) => this.#hear(event))
  }

  /** The open tasks of a namespace, oldest first. Time must not go back from one call to the next. */
  list(namespace: string, now: number): Task[] {
    return Array.from(this.#openIn(namespace, now), ({ task }) => task)
  }

  /**
   * The number of open tasks.
   * @param credential if given, counts only the tasks that were made with it.
   */
  count(namespace: string, now: number, credential?: string): number {
    if (credential === undefined) return [...this.#openIn(namespace, now)].length
    return this.list(namespace, now).filter((task) => task.isOwnedBy(credential)).length
  }

  /** When the next state of one of them begins; null if none is known. */
  nextStep(namespace: string, now: number): number | null {
    let soonest = Infinity
    for (const { steps } of this.#openIn(namespace, now))
      soonest = Math.min(soonest, steps.find((at) => at > now) ?? Infinity)
    return soonest === Infinity ? null : soonest
  }

  /** Whether one of them waits for its client's confirmation. */
  isClientExpected(namespace: string, now: number): boolean {
    for (const { task, waits } of this.#openIn(namespace, now)) {
      if (waits && task.lifecycle.states[this.#tasks.view(task, now).state]?.on !== undefined) return true
    }
    return false
  }

  /** Drops the index: restored tasks come without events. */
  forget(): void {
    this.#byNamespace.clear()
    this.#generation++
  }

  /** Changes whenever the index is dropped. */
  get generation(): number {
    return this.#generation
  }

  #openIn(namespace: string, now: number): Iterable<OpenTask> {
    return this.#indexOf(namespace).listAt(now)
  }

  #indexOf(namespace: string): OpenInNamespace {
    let known = this.#byNamespace.get(namespace)
    if (!known) {
      this.#byNamespace.set(namespace, (known = new OpenInNamespace()))
      for (const task of this.#tasks.list(namespace)) known.put(task)
    }
    return known
  }

  #hear(event: SimulatorEvent): void {
    if (event.type === 'task.submitted' || event.type === 'task.amended') {
      const { namespace, id } = event.type === 'task.submitted' ? event.task : event
      const task = this.#tasks.find(id)
      if (task) this.#byNamespace.get(namespace)?.put(task)
    } else if (event.type === 'task.removed') this.#byNamespace.get(event.namespace)?.delete(event.id)
    else if (event.type === 'tasks.cleared') this.#byNamespace.delete(event.namespace)
  }
}

interface OpenTask {
  readonly task: Task
  readonly endsAt: number
  /** Whether it waits for its client in one of its states. */
  readonly waits: boolean
  /** When its states begin, in order. */
  readonly steps: readonly number[]
}

class OpenInNamespace {
  readonly #byId = new Map<string, OpenTask>()
  /** No task ends before this instant. */
  #nextEnd = Infinity

  /** Adds a task, or replaces its older version. */
  put(task: Task): void {
    const { timeline, lifecycle } = task
    const endsAt = endOfTimeline(timeline, lifecycle)
    this.#nextEnd = Math.min(this.#nextEnd, endsAt)
    const steps = timeline.spans.map(({ from }) => from)
    this.#byId.set(task.id, { task, endsAt, waits: waitsForClient(timeline, lifecycle), steps })
  }

  delete(id: string): void {
    this.#byId.delete(id)
  }

  listAt(now: number): Iterable<OpenTask> {
    if (now >= this.#nextEnd) {
      this.#nextEnd = Infinity
      for (const [id, { endsAt }] of this.#byId) {
        if (endsAt <= now) this.#byId.delete(id)
        else this.#nextEnd = Math.min(this.#nextEnd, endsAt)
      }
    }
    return this.#byId.values()
  }
}
