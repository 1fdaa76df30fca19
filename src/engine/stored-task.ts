import type { Lifecycle } from './lifecycle.ts'
import { unpack, type RecordForm } from './packed-record.ts'
import type { Amendment, TaskRecord } from './plan.ts'
import { timelineOf, type Timeline } from './timeline.ts'

/** What a task is made of that is kept. */
export interface Kept {
  readonly id: string
  readonly serial: number
  readonly lifecycle: Lifecycle
  readonly form: RecordForm
  readonly own: string
}

/** What follows from it. */
interface Derived {
  readonly record: TaskRecord
  readonly timeline: Timeline
}

/** What follows from tasks, for those that were looked at lately; of all others it is derived when it is wanted. */
export class Lately {
  readonly #most = 1_000
  readonly #derived = new Map<StoredTask, Derived>()

  of(task: StoredTask): Derived {
    const known = this.#derived.get(task)
    if (known) return known
    return this.note(task, unpack(task.id, task.form, task.own))
  }

  /** A record that is at hand needn't be unpacked. */
  note(task: StoredTask, record: TaskRecord): Derived {
    const derived = { record, timeline: timelineOf(record, task.amendments, task.lifecycle) }
    if (this.#derived.size >= this.#most) this.#derived.clear()
    this.#derived.set(task, derived)
    return derived
  }

  forget(task: StoredTask): void {
    this.#derived.delete(task)
  }
}

const none: readonly Amendment[] = Object.freeze([])

/** A task as it is kept: a few hundred bytes, whatever may be derived from it. */
export class StoredTask {
  readonly id: string
  readonly serial: number
  readonly lifecycle: Lifecycle
  readonly form: RecordForm
  readonly own: string
  readonly amendments: readonly Amendment[]
  lastLook = 0
  looks = 0
  requests = 0
  key: string | undefined = undefined
  readonly #lately: Lately

  constructor({ id, serial, lifecycle, form, own }: Kept, lately: Lately, amendments = none) {
    this.id = id
    this.serial = serial
    this.lifecycle = lifecycle
    this.form = form
    this.own = own
    this.amendments = amendments
    this.#lately = lately
  }

  get record(): TaskRecord {
    return this.#lately.of(this).record
  }

  get timeline(): Timeline {
    return this.#lately.of(this).timeline
  }

  /** The same task, with what happened to it meanwhile. */
  amended(amendments: readonly Amendment[]): StoredTask {
    const task = new StoredTask(this, this.#lately, amendments)
    task.lastLook = this.lastLook
    task.looks = this.looks
    task.requests = this.requests
    task.key = this.key
    return task
  }
}
