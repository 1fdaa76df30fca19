import type { EventLog, SimulatorEvent } from './events.ts'
import { hashApiKey } from '../random/hash-api-key.ts'
import type { Task, TaskStore } from './tasks.ts'
import { Waiters } from '../clock/waiters.ts'

/**
 * The tasks that have not ended: whoever asks for them needn't look at all there are. Each is looked at when it is new or
 * was changed, and when it ends; in between it costs nothing. Of namespaces for which nobody asks nothing is known.
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
    return this.#of(namespace).list(now)
  }

  /**
   * How many there are.
   * @param credential where given, only of those that were made with it.
   */
  count(namespace: string, now: number, credential?: string): number {
    return this.#of(namespace).count(now, credential)
  }

  /** Whether one of them waits for its client's word. */
  somebodyIsAsked(namespace: string, now: number): boolean {
    return this.#of(namespace).somebodyIsAsked(now)
  }

  /** Looks at everything anew when it is asked next: what was restored was not told of. */
  forget(): void {
    this.#byNamespace.clear()
    this.#generation++
  }

  /** Another number whenever everything was forgotten. */
  get generation(): number {
    return this.#generation
  }

  #of(namespace: string): OpenInNamespace {
    let known = this.#byNamespace.get(namespace)
    if (!known) this.#byNamespace.set(namespace, (known = new OpenInNamespace(namespace, this.#tasks)))
    return known
  }

  #hear(event: SimulatorEvent): void {
    if (event.type === 'task.submitted') this.#byNamespace.get(event.task.namespace)?.changed(event.task.id)
    else if (event.type === 'task.amended') this.#byNamespace.get(event.namespace)?.changed(event.id)
    else if (event.type === 'task.removed') this.#byNamespace.get(event.namespace)?.drop(event.id)
    else if (event.type === 'tasks.cleared') this.#byNamespace.delete(event.namespace)
  }
}

/** An open task, as it was when it was last looked at. */
interface Open {
  /** Under which name it is counted; undefined as long as nobody said whose it is. */
  owner: string | undefined
  /** Takes it out of the line of those that end. */
  readonly leave: () => void
}

class OpenInNamespace {
  readonly #tasks: TaskStore
  readonly #open = new Map<string, Open>()
  readonly #ends = new Waiters()
  /** New or changed, and not looked at since. */
  readonly #changed: Set<string>
  readonly #ownerless = new Set<string>()
  readonly #byOwner = new Map<string, number>()
  /** Those that at some time of their lives wait for their client's word. */
  readonly #asking = new Set<string>()

  constructor(namespace: string, tasks: TaskStore) {
    this.#tasks = tasks
    this.#changed = new Set(tasks.list(namespace).map(({ id }) => id))
  }

  list(now: number): Task[] {
    this.#lookUntil(now)
    return [...this.#open.keys()].map((id) => this.#tasks.find(id)!)
  }

  count(now: number, credential: string | undefined): number {
    this.#lookUntil(now)
    if (credential === undefined) return this.#open.size
    for (const id of this.#ownerless) this.#own(id)
    return this.#byOwner.get(hashApiKey(credential)) ?? 0
  }

  somebodyIsAsked(now: number): boolean {
    this.#lookUntil(now)
    for (const id of this.#asking) {
      const task = this.#tasks.find(id)!
      if (task.lifecycle.states[this.#tasks.view(task, now).state]?.on !== undefined) return true
    }
    return false
  }

  changed(id: string): void {
    this.#changed.add(id)
  }

  drop(id: string): void {
    this.#changed.delete(id)
    this.#asking.delete(id)
    this.#ownerless.delete(id)
    const open = this.#open.get(id)
    if (!open) return
    open.leave()
    this.#open.delete(id)
    const { owner } = open
    if (owner === undefined) return
    const left = this.#byOwner.get(owner)! - 1
    if (left > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }

  #lookUntil(now: number): void {
    for (const id of this.#changed) this.#look(id, now)
    this.#changed.clear()
    for (let ended = this.#ends.takeDue(now); ended; ended = this.#ends.takeDue(now)) ended.wake()
  }

  #look(id: string, now: number): void {
    const task = this.#tasks.find(id)
    if (!task || this.#tasks.view(task, now).final) return this.drop(id)
    const known = this.#open.get(id)
    known?.leave()
    const due = endOf(task)
    const leave =
      due === Infinity
        ? (): void => {}
        : this.#ends.add({ due, rank: '', waiting: { kind: 'work' }, wake: () => this.drop(id) })
    // One that is known keeps its place among the others.
    this.#open.set(id, { owner: known?.owner, leave })
    if (!known) this.#ownerless.add(id)
    if (task.timeline.spans.some(({ state }) => task.lifecycle.states[state]?.on !== undefined))
      this.#asking.add(id)
    else this.#asking.delete(id)
  }

  /** Notes whose it is, when that is known: a task is made before anybody says so. */
  #own(id: string): void {
    const key = this.#tasks.find(id)?.key
    if (key === undefined) return
    const owner = hashApiKey(key)
    this.#open.get(id)!.owner = owner
    this.#ownerless.delete(id)
    this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? 0) + 1)
  }
}

/** When a task ends, as far as is known; Infinity where it doesn't by itself. */
function endOf({ timeline, lifecycle }: Task): number {
  return timeline.spans.find(({ state }) => lifecycle.states[state]?.final)?.from ?? Infinity
}
