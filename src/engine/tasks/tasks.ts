import { latestInstant } from '../clock/clock-settings.ts'
import type { EventLog, SimulatorEvent } from './events.ts'
import { pathBetween, type Lifecycle } from './lifecycle.ts'
import type { Amendment, Plan, RequestFields, TaskRecord } from './plan.ts'
import { timelineOf, viewAt, type TaskView, type Timeline } from './timeline.ts'
import { hashApiKey } from '../random/hash.ts'
import { recognizeCopies } from '../shared-error.ts'

const noAliases: readonly string[] = Object.freeze([])
const none: readonly Amendment[] = Object.freeze([])

/** A stored task. An amendment replaces the object, so every reference is a snapshot. */
export class Task {
  readonly record: TaskRecord
  readonly lifecycle: Lifecycle
  /** The number of the submission. An id can return after a reset; the serial number doesn't. */
  readonly serial: number
  readonly amendments: readonly Amendment[]
  /** The instant of the last poll, or of the submission before any poll. */
  lastLook: number
  /** How many polls it has had. */
  pollCount = 0
  /** How many requests have concerned it, whatever the response. */
  requests = 0
  /** The key of the submission; hashed if the task was restored. */
  key: string | undefined = undefined

  constructor(record: TaskRecord, lifecycle: Lifecycle, serial: number, amendments = none) {
    this.record = record
    this.lifecycle = lifecycle
    this.serial = serial
    this.amendments = amendments
    this.lastLook = record.submittedAt
  }

  get id(): string {
    return this.record.id
  }

  get timeline(): Timeline {
    return timelineOf(this.record, this.amendments, this.lifecycle)
  }

  /** Whether it was made with a key. */
  isOwnedBy(credential: string): boolean {
    return this.key !== undefined && (this.key === credential || this.key === hashApiKey(credential))
  }

  /** The same task with other amendments. */
  amended(amendments: readonly Amendment[]): Task {
    const task = new Task(this.record, this.lifecycle, this.serial, amendments)
    const { lastLook, pollCount, requests, key } = this
    return Object.assign(task, { lastLook, pollCount, requests, key })
  }
}

/** Why a task was moved to a state from outside. */
type TransitionCause = Extract<Amendment, { kind: 'transition' }>['cause']

/** The request of a task, including the changes of its amendments. */
export function requestOf({ record, amendments }: Task): RequestFields {
  if (amendments.length === 0) return record.request
  const changes = amendments.map((amendment) =>
    amendment.kind === 'confirm' ? amendment.request : undefined,
  )
  return Object.assign({}, record.request, ...changes) as RequestFields
}

/** How many tasks are stored, and for how long. */
export interface Retention {
  readonly count?: number
  readonly ageMs?: number
}

/**
 * An impossible transition. The message lists the possible states.
 *
 * @example
 * const task = await client.submitVideo('a red kite')
 * sim.transition(task, { status: 'DONE' }) // throws TransitionError: …"DONE"…
 */
export class TransitionError extends Error {
  static {
    recognizeCopies(this, 'TransitionError')
  }

  override name = 'TransitionError'
}

/** The tasks of one namespace by id, in the order of their submission. */
class TaskList {
  readonly byId = new Map<string, Task>()
  /** Reused, because a new iterator walks over the entries that V8 has deleted but not yet compacted. */
  #oldestFirst = this.byId.keys()
  #oldestId = ''

  oldest(): Task | undefined {
    while (this.byId.size > 0 && !this.byId.has(this.#oldestId)) {
      const { done, value } = this.#oldestFirst.next()
      if (done) this.#oldestFirst = this.byId.keys()
      else this.#oldestId = value
    }
    return this.byId.get(this.#oldestId)
  }
}

/** All tasks of a simulator. Changes go through {@link apply}, as events; reading changes nothing. */
export class TaskStore {
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  readonly #events: EventLog
  readonly #listeners = new Set<(task: Task) => void>()
  readonly #byId = new Map<string, Task>()
  /** The ids of tasks by their second names. */
  readonly #byAlias = new Map<string, string>()
  readonly #byNamespace = new Map<string, TaskList>()
  /** By namespace and lifecycle: how many tasks were submitted. */
  readonly #submitted = new Map<string, Map<string, number>>()
  #submissions = 0

  constructor(lifecycles: readonly Lifecycle[], events: EventLog) {
    this.#lifecycles = new Map(lifecycles.map((lifecycle) => [lifecycle.name, lifecycle]))
    this.#events = events
  }

  /** @throws {Error} when no lifecycle has this name. */
  lifecycle(name: string): Lifecycle {
    const lifecycle = this.#lifecycles.get(name)
    if (!lifecycle) throw new Error(`Failed to find a lifecycle: "${name}" was never defined.`)
    return lifecycle
  }

  lifecycles(): Iterable<Lifecycle> {
    return this.#lifecycles.values()
  }

  /** A lifecycle by its name; undefined for an unknown one. */
  knownLifecycle(name: string): Lifecycle | undefined {
    return this.#lifecycles.get(name)
  }

  submit(submitted: TaskRecord<object>): Task {
    const record = this.#withNth(submitted as TaskRecord)
    const task = this.#add(record)
    this.#events.append({ type: 'task.submitted', at: record.submittedAt, task: record })
    return task
  }

  /** The number of the next task of a lifecycle in its namespace, from 1. */
  nextNth(namespace: string, lifecycle: string): number {
    return (this.submitted(namespace).get(lifecycle) ?? 0) + 1
  }

  /** How many tasks of each lifecycle a namespace has had, removed ones included. */
  submitted(namespace: string): ReadonlyMap<string, number> {
    return this.#submitted.get(namespace) ?? new Map()
  }

  /** Continues the numbering of a stored namespace. */
  restoreSubmitted(namespace: string, lifecycle: string, count: number): void {
    let counts = this.#submitted.get(namespace)
    if (!counts) this.#submitted.set(namespace, (counts = new Map<string, number>()))
    counts.set(lifecycle, Math.max(count, counts.get(lifecycle) ?? 0))
  }

  /** @param id or a second name. */
  find(id: string): Task | undefined {
    return this.#byId.get(id) ?? this.#byId.get(this.#byAlias.get(id) ?? '')
  }

  /** The tasks of a namespace, oldest first. */
  list(namespace: string): Task[] {
    return [...(this.#byNamespace.get(namespace)?.byId.values() ?? [])]
  }

  /** All tasks. Those of one namespace come oldest first. */
  *all(): Generator<Task> {
    for (const { byId } of this.#byNamespace.values()) yield* byId.values()
  }

  count(namespace: string): number {
    return this.#byNamespace.get(namespace)?.byId.size ?? 0
  }

  /** The state of a task at an instant. */
  view({ timeline, lifecycle }: Task, now: number): TaskView {
    return viewAt(timeline, lifecycle, now)
  }

  /** Records a poll. This is not an event: after a replay, the last poll is the submission. */
  look(task: Task, now: number): void {
    task.lastLook = now
    task.pollCount++
  }

  /**
   * Moves a task to another state at an instant. States in between last no time, so the documented order holds.
   * @throws {TransitionError} when the task has ended, or the state can't be reached from its present one.
   */
  transition(
    task: Task,
    change: { at: number; state: string; reason?: string; cause: TransitionCause },
  ): void {
    const { state: present, final } = this.view(task, change.at)
    const failed = `Failed to move task ${task.id} to "${change.state}"`
    if (final)
      throw new TransitionError(`${failed}: it has ended as ${present}. Terminal records never change.`)
    if (present === change.state) throw new TransitionError(`${failed}: it is ${present} already.`)
    const known = Object.keys(task.lifecycle.states)
    if (!known.includes(change.state)) {
      throw new TransitionError(`${failed}: no such state. Use one of ${known.join(', ')}.`)
    }
    if (!pathBetween(task.lifecycle, present, change.state)) {
      throw new TransitionError(`${failed}: it can't be reached from ${present}. States only move forward.`)
    }
    this.#amendWith(task, { kind: 'transition', ...change })
  }

  /**
   * Changes when and how a task ends. It can be changed again until then.
   * @param change `ends` is the instant, or null for never. An instant after the year 9999 is never, too.
   * @throws {TransitionError} when the task has ended, or the state does not end a task.
   */
  endAt(task: Task, change: { at: number; ends: number | null; state: string; reason?: string }): void {
    const { state: present, final } = this.view(task, change.at)
    const failed = `Failed to change the end of task ${task.id}`
    if (final)
      throw new TransitionError(`${failed}: it has ended as ${present}. Terminal records never change.`)
    const { states } = task.lifecycle
    const possible = Object.keys(states).filter(
      (state) => states[state]!.final === true && pathBetween(task.lifecycle, present, state),
    )
    if (!possible.includes(change.state))
      throw new TransitionError(`${failed}: "${change.state}" is none. Use one of ${possible.join(', ')}.`)
    const ends = change.ends !== null && change.ends > latestInstant ? null : change.ends
    this.#amendWith(task, { kind: 'end', ...change, ends })
  }

  /** Records the request that a task waits for. */
  confirm(task: Task, change: { at: number; operation: string; request?: RequestFields; plan?: Plan }): void {
    this.#amendWith(task, { kind: 'confirm', ...change })
  }

  /** Sets when a worker begins a queued task; null if no worker will begin it. */
  begin(task: Task, change: { at: number; begins: number | null }): void {
    this.#amendWith(task, { kind: 'begin', ...change })
  }

  /** Forgets a task. Requests for it get the response for an unknown one. */
  remove(task: Task, at: number): void {
    const { id, record } = task
    this.#commit({ type: 'task.removed', at, namespace: record.namespace, id })
    for (const listener of this.#listeners) listener(task)
  }

  /** Calls the listener with every task that is removed; the event of a removal has only its id. */
  onRemoved(listener: (task: Task) => void): void {
    this.#listeners.add(listener)
  }

  /**
   * Forgets tasks that are past their retention, oldest first.
   * @param retention `count` is how many tasks a namespace keeps; `ageMs` is how long it keeps each after its
   * submission.
   */
  expire(namespace: string, now: number, { count = Infinity, ageMs = Infinity }: Retention): void {
    const tasks = this.#byNamespace.get(namespace)
    for (let task = tasks?.oldest(); task; task = tasks?.oldest()) {
      if (tasks!.byId.size <= count && task.record.submittedAt + ageMs > now) break
      this.remove(task, now)
    }
  }

  /** Restores the amendments of a task without an event. */
  restore({ id }: Task, amendments: readonly Amendment[]): void {
    const task = this.#byId.get(id)
    if (task) this.#put(task.amended(amendments))
  }

  clear(namespace: string, at: number): void {
    this.#commit({ type: 'tasks.cleared', at, namespace })
  }

  /** Applies an event of the past, such as when a log is replayed. It isn't logged again. */
  apply(event: SimulatorEvent): void {
    if (event.type === 'task.submitted') this.#add(this.#withNth(event.task))
    if (event.type === 'task.amended') this.#amend(event.id, event.amendment)
    if (event.type === 'task.removed' && this.#delete(event.id))
      this.#byNamespace.get(event.namespace)?.byId.delete(event.id)
    if (event.type === 'tasks.cleared') {
      for (const { id } of this.list(event.namespace)) this.#delete(id)
      this.#byNamespace.delete(event.namespace)
      this.#submitted.delete(event.namespace)
    }
  }

  #commit(event: SimulatorEvent): void {
    this.apply(event)
    this.#events.append(event)
  }

  #amendWith({ id, record: { namespace } }: Task, amendment: Amendment): void {
    this.#commit({ type: 'task.amended', at: amendment.at, namespace, id, amendment })
  }

  /** Numbers a record. A record that replaces another takes its number; a restored one keeps its own. */
  #withNth(record: TaskRecord): TaskRecord {
    const { id, namespace, lifecycle } = record
    const nth = record.nth ?? this.#byId.get(id)?.record.nth ?? this.nextNth(namespace, lifecycle)
    this.restoreSubmitted(namespace, lifecycle, nth)
    return record.nth === nth ? record : { ...record, nth }
  }

  #add(record: TaskRecord): Task {
    return this.#put(new Task(record, this.lifecycle(record.lifecycle), ++this.#submissions))
  }

  #delete(id: string): boolean {
    for (const alias of this.#byId.get(id)?.record.aliases ?? noAliases) this.#byAlias.delete(alias)
    return this.#byId.delete(id)
  }

  #put(task: Task): Task {
    const { id, namespace, aliases = noAliases } = task.record
    this.#byId.set(id, task)
    for (const alias of aliases) this.#byAlias.set(alias, id)
    let siblings = this.#byNamespace.get(namespace)
    if (!siblings) this.#byNamespace.set(namespace, (siblings = new TaskList()))
    siblings.byId.set(id, task)
    return task
  }

  #amend(id: string, amendment: Amendment): void {
    const task = this.#byId.get(id)
    if (!task) return
    // Of several begins, and of several ends, only the latest counts.
    const isReplaced = amendment.kind === 'begin' || amendment.kind === 'end'
    const before = isReplaced
      ? task.amendments.filter(({ kind }) => kind !== amendment.kind)
      : task.amendments
    this.#put(task.amended([...before, amendment]))
  }
}
