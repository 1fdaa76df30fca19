import type { EventLog, SimulatorEvent } from './events.ts'
import { pathBetween, type Lifecycle } from './lifecycle.ts'
import { inOnePiece } from '../one-piece.ts'
import type { Amendment, Plan, RequestFields, TaskRecord } from './plan.ts'
import { RecordForms } from './packed-record.ts'
import { Lately, StoredTask } from './stored-task.ts'
import { TaskIndex } from './task-index.ts'
import { viewAt, type TaskView, type Timeline } from './timeline.ts'
import { recognizeCopies } from '../shared-error.ts'

/** A stored task with what is derived from it. */
export interface Task {
  readonly id: string
  /** The how-manieth submission it was: of two tasks with one id, as there may be after a reset, it tells which. */
  readonly serial: number
  readonly record: TaskRecord
  readonly amendments: readonly Amendment[]
  readonly lifecycle: Lifecycle
  readonly timeline: Timeline
  /** When a client last looked at it; the submission counts. */
  lastLook: number
  /** How often a client has looked. */
  pollCount: number
  /** How many requests have concerned it, answered in any way. */
  requests: number
  /** The key that it was made with; sealed, where the task was kept. */
  key: string | undefined
  /** What was last shown of it, for whoever shows it to remember; it may be gone at any time. */
  shown: object | undefined
}

/** Why a task was put into a state from outside. */
export type TransitionCause = Extract<Amendment, { kind: 'transition' }>['cause']

/** What was asked for, with what a later request changed of it. */
export function requestOf({ record, amendments }: Task): RequestFields {
  if (amendments.length === 0) return record.request
  const changes = amendments.map((amendment) =>
    amendment.kind === 'confirm' ? amendment.request : undefined,
  )
  return Object.assign({}, record.request, ...changes) as RequestFields
}

/** How much of the past is kept. */
export interface Retention {
  readonly count?: number
  readonly ageMs?: number
}

/**
 * A task can't be put into the state that was asked for. The message says which states it can go to.
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

/**
 * All tasks of a simulator. Changes go through {@link apply}, as events; reading changes nothing.
 */
export class TaskStore {
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  readonly #events: EventLog
  readonly #byId = new Map<string, StoredTask>()
  readonly #byNamespace = new Map<string, TaskIndex>()
  /** By namespace and lifecycle: how many tasks were submitted. */
  readonly #submitted = new Map<string, Map<string, number>>()
  readonly #forms = new RecordForms()
  readonly #lately = new Lately(1_000)
  /** A task that anything happens to is another object from then on. */
  #latestView: { readonly task: Task; readonly now: number; readonly view: TaskView } | undefined
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

  /** A lifecycle by its name, if there is such a one. */
  knownLifecycle(name: string): Lifecycle | undefined {
    return this.#lifecycles.get(name)
  }

  submit(submitted: TaskRecord): Task {
    const record = this.#numbered(submitted)
    const task = this.#add(record)
    this.#events.append({ type: 'task.submitted', at: record.submittedAt, task: record })
    return task
  }

  /** The place that the next task of a lifecycle will have among those of its namespace, from 1. */
  nextNth(namespace: string, lifecycle: string): number {
    return (this.#submitted.get(namespace)?.get(lifecycle) ?? 0) + 1
  }

  find(id: string): Task | undefined {
    return this.#byId.get(id)
  }

  /** The tasks of a namespace, oldest first. */
  list(namespace: string): Task[] {
    const ids = this.#byNamespace.get(namespace)?.list() ?? []
    const tasks: Task[] = []
    for (const id of ids) {
      const task = this.#byId.get(id)
      if (task) tasks.push(task)
    }
    return tasks
  }

  /** So many of them, the latest, oldest first. */
  latest(namespace: string, most: number): Task[] {
    const ids = this.#byNamespace.get(namespace)?.latest(most) ?? []
    return ids.flatMap((id) => this.#byId.get(id) ?? [])
  }

  count(namespace: string): number {
    return this.#byNamespace.get(namespace)?.size ?? 0
  }

  /** What a task looks like at an instant. A request asks more than once, so the latest answer is remembered. */
  view(task: Task, now: number): TaskView {
    const latest = this.#latestView
    if (latest?.task === task && latest.now === now) return latest.view
    const view = viewAt(task.timeline, task.lifecycle, now)
    this.#latestView = { task, now, view }
    return view
  }

  /** Notes that a client looked. Not an event: a replayed task counts as last looked at when it was submitted. */
  look(task: Task, now: number): void {
    task.lastLook = now
    task.pollCount++
  }

  /**
   * Puts a task into another state at an instant; states on the way last no time, so the order holds.
   * @throws {TransitionError} when the task has ended, or the state can't be reached from where it is.
   */
  transition(
    task: Task,
    change: { at: number; state: string; reason?: string; cause: TransitionCause },
  ): void {
    const { id, namespace } = task.record
    const { state: present, final } = this.view(task, change.at)
    const failed = `Failed to move task ${id} to "${change.state}"`
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
    const amendment: Amendment = { kind: 'transition', ...change }
    this.#commit({ type: 'task.amended', at: change.at, namespace, id, amendment })
  }

  /** Tells a task that the request it waits for has come. */
  confirm(task: Task, change: { at: number; operation: string; request?: RequestFields; plan?: Plan }): void {
    const { id, namespace } = task.record
    const amendment: Amendment = { kind: 'confirm', ...change }
    this.#commit({ type: 'task.amended', at: change.at, namespace, id, amendment })
  }

  /** Says when there is room for a task that stands in line; null: never, as it looks. */
  begin(task: Task, change: { at: number; begins: number | null }): void {
    const { id, namespace } = task.record
    this.#commit({
      type: 'task.amended',
      at: change.at,
      namespace,
      id,
      amendment: { kind: 'begin', ...change },
    })
  }

  /** Forgets a task. Whoever asks for it gets the answers for an unknown one. */
  remove({ id, record: { namespace } }: Task, at: number): void {
    this.#commit({ type: 'task.removed', at, namespace, id })
  }

  /**
   * Forgets what is past its retention, oldest first.
   * @param retention `count` is how many tasks a namespace keeps; `ageMs` how long after its submission each.
   * @returns the tasks that went.
   */
  expire(namespace: string, now: number, { count = Infinity, ageMs = Infinity }: Retention): Task[] {
    const gone: Task[] = []
    // Asked before each admission, and hardly ever is anything past its retention.
    if (ageMs === Infinity && this.count(namespace) <= count) return gone
    for (const task of this.#inOrder(namespace)) {
      if (this.count(namespace) <= count && task.record.submittedAt + ageMs > now) break
      this.#commit({ type: 'task.removed', at: now, namespace, id: task.id })
      gone.push(task)
    }
    return gone
  }

  /** All tasks, of each namespace the oldest first. */
  *all(): Generator<Task> {
    for (const namespace of this.#byNamespace.keys()) yield* this.#inOrder(namespace)
  }

  /** Gives a task back what happened to it after its submission. Nobody is told. */
  restore({ id }: Task, amendments: readonly Amendment[]): void {
    const task = this.#byId.get(id)
    if (task) this.#replace(task, amendments)
  }

  *#inOrder(namespace: string): Generator<StoredTask> {
    for (const id of this.#byNamespace.get(namespace) ?? []) {
      const task = this.#byId.get(id)
      if (task) yield task
    }
  }

  clear(namespace: string, at: number): void {
    this.#commit({ type: 'tasks.cleared', at, namespace })
  }

  /** Applies an event that happened before, as when a log is replayed. It isn't logged again. */
  apply(event: SimulatorEvent): void {
    if (event.type === 'task.submitted') this.#add(this.#numbered(event.task))
    if (event.type === 'task.amended') this.#amend(event.id, event.amendment)
    if (event.type === 'task.removed') this.#remove(event.id, event.namespace)
    if (event.type === 'tasks.cleared') {
      for (const task of this.#inOrder(event.namespace)) this.#byId.delete(task.id)
      this.#byNamespace.delete(event.namespace)
      this.#submitted.delete(event.namespace)
    }
  }

  #commit(event: SimulatorEvent): void {
    this.apply(event)
    this.#events.append(event)
  }

  /** A record with its place. One that replaces another keeps the other's place, as one that was stored keeps its own. */
  #numbered(record: TaskRecord): TaskRecord {
    const { id, namespace, lifecycle } = record
    const nth = record.nth ?? this.#byId.get(id)?.record.nth ?? this.nextNth(namespace, lifecycle)
    let counts = this.#submitted.get(namespace)
    if (!counts) this.#submitted.set(namespace, (counts = new Map()))
    counts.set(lifecycle, Math.max(nth, counts.get(lifecycle) ?? 0))
    return record.nth === nth ? record : { ...record, nth }
  }

  #add(record: TaskRecord): StoredTask {
    const { namespace, submittedAt } = record
    const id = inOnePiece(record.id)
    const lifecycle = this.lifecycle(record.lifecycle)
    const { form, own } = this.#forms.pack(record)
    const kept = { id, serial: ++this.#submissions, lifecycle, form, own }
    const task = new StoredTask(kept, this.#lately)
    this.#lately.note(task, record)
    task.lastLook = submittedAt
    const before = this.#byId.size
    this.#byId.set(id, task)
    // One that comes again takes the place of the one that is there.
    if (this.#byId.size === before) return task
    let siblings = this.#byNamespace.get(namespace)
    if (!siblings) this.#byNamespace.set(namespace, (siblings = new TaskIndex()))
    siblings.add(id)
    return task
  }

  #amend(id: string, amendment: Amendment): void {
    const task = this.#byId.get(id)
    if (!task) return
    // Of the places in line that a task was given, only the latest counts.
    const before =
      amendment.kind === 'begin' ? task.amendments.filter(({ kind }) => kind !== 'begin') : task.amendments
    this.#replace(task, [...before, amendment])
  }

  #replace(task: StoredTask, amendments: readonly Amendment[]): void {
    this.#byId.set(task.id, task.amended(amendments))
  }

  #remove(id: string, namespace: string): void {
    if (this.#byId.delete(id)) this.#byNamespace.get(namespace)?.remove(id)
  }
}
