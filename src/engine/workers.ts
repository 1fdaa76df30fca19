import type { EventLog, SimulatorEvent } from './events.ts'
import { timelineOf } from './timeline.ts'
import type { Task, TaskStore } from './tasks.ts'

/** How many of certain tasks are worked on at a time. */
export interface Workforce {
  readonly workers: number
  /** Which tasks they work on. */
  readonly concerns: (task: Task) => boolean
}

/**
 * Lets tasks wait for each other where only so many are worked on at a time: in the order in which they came, each
 * begins when one before it has ended. Whenever something changes, the line is arranged anew, by amendments.
 */
export class Workers {
  readonly #tasks: TaskStore
  readonly #force: Workforce
  readonly #now: (namespace: string) => number
  #arranging = false

  /** @param now the instant on a namespace's clock. */
  constructor(tasks: TaskStore, events: EventLog, force: Workforce, now: (namespace: string) => number) {
    this.#tasks = tasks
    this.#force = force
    this.#now = now
    events.subscribe((event) => this.#hear(event))
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
    if (this.#arranging) return
    const isMine =
      event.type === 'task.submitted' || event.type === 'task.amended' || event.type === 'task.removed'
    if (!isMine) return
    const namespace = event.type === 'task.submitted' ? event.task.namespace : event.namespace
    this.#arranging = true
    try {
      this.#arrange(namespace, Math.max(event.at, this.#now(namespace)))
    } finally {
      this.#arranging = false
    }
  }

  #arrange(namespace: string, now: number): void {
    const tasks = this.#concerned(namespace, now)
    /** When each worker is free. */
    const free = tasks.filter((task) => begunBy(task, now)).map(endOf)
    while (free.length < this.#force.workers) free.push(now)
    for (const task of tasks.filter((one) => !begunBy(one, now)).toSorted(byReadiness)) {
      const natural = naturalBegin(task)
      // Who waits for ever by itself takes nobody's place.
      if (natural === Infinity) continue
      free.sort((one, other) => one - other)
      const begins = Math.max(natural, free.shift()!)
      if (begins !== beginOf(task))
        this.#tasks.begin(task, { at: now, begins: begins === Infinity ? null : begins })
      free.push(begins + workMs(this.#tasks.find(task.record.id)!))
    }
  }

  /** Those that stand in line or are worked on; a task that waits for its client does neither. */
  #concerned(namespace: string, now: number): Task[] {
    return this.#tasks.list(namespace).filter((task) => {
      if (!this.#force.concerns(task)) return false
      const { final, state } = this.#tasks.view(task, now)
      return !final && task.lifecycle.states[state]?.on === undefined
    })
  }
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
