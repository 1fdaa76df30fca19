import type { Task } from './tasks.ts'

interface Step {
  readonly at: number
  readonly task: Task
}

/** The next step of each of many tasks, the soonest first: a binary heap. */
export class StepQueue {
  readonly #heap: Step[] = []

  /** Adds the first step of a task that comes after an instant, if there is one. */
  add(task: Task, now: number): void {
    const at = task.timeline.spans.find(({ from }) => from > now)?.from
    if (at === undefined) return
    const heap = this.#heap
    let index = heap.push({ at, task }) - 1
    for (let parent = (index - 1) >> 1; index > 0 && heap[parent]!.at > at; parent = (index - 1) >> 1) {
      this.#swap(index, parent)
      index = parent
    }
  }

  /**
   * The soonest step after an instant. Earlier steps are replaced by later ones of the same task.
   * @param isCurrent whether a task is still as it was when it was added.
   */
  next(now: number, isCurrent: (task: Task) => boolean): number | null {
    for (let soonest = this.#heap[0]; soonest; soonest = this.#heap[0]) {
      const { at, task } = soonest
      const isStored = isCurrent(task)
      if (isStored && at > now) return at
      this.#removeSoonest()
      if (isStored) this.add(task, now)
    }
    return null
  }

  #removeSoonest(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    heap[0] = last
    let index = 0
    for (;;) {
      const left = index * 2 + 1
      const child = (heap[left + 1]?.at ?? Infinity) < (heap[left]?.at ?? Infinity) ? left + 1 : left
      if ((heap[child]?.at ?? Infinity) >= last.at) return
      this.#swap(index, child)
      index = child
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap
    const step = heap[one]!
    heap[one] = heap[other]!
    heap[other] = step
  }
}
