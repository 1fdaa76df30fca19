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
  timeline: Timeline | undefined
}

/**
 * The tasks that were looked at lately, for which what follows from them is remembered; of all others it is derived when
 * it is wanted.
 */
export class Lately {
  readonly #most: number
  readonly #ring: StoredTask[] = []
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Remembers one more, and forgets the one before it for which that was done longest ago. */
  note(task: StoredTask): void {
    this.#ring[this.#next]?.forget()
    this.#ring[this.#next] = task
    this.#next = (this.#next + 1) % this.#most
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
  #derived: Derived | undefined = undefined

  /** @param record what was packed, where it is at hand; whoever gives it sees to it that it is forgotten. */
  constructor(
    { id, serial, lifecycle, form, own }: Kept,
    lately: Lately,
    amendments: readonly Amendment[] = none,
    record?: TaskRecord,
  ) {
    this.id = id
    this.serial = serial
    this.lifecycle = lifecycle
    this.form = form
    this.own = own
    this.amendments = amendments
    this.#lately = lately
    if (record) this.#derived = { record, timeline: undefined }
  }

  get record(): TaskRecord {
    return (this.#derived ?? this.#derive()).record
  }

  get timeline(): Timeline {
    const derived = this.#derived ?? this.#derive()
    derived.timeline ??= timelineOf(derived.record, this.amendments, this.lifecycle)
    return derived.timeline
  }

  /** The same task, with what happened to it meanwhile. */
  amended(amendments: readonly Amendment[]): StoredTask {
    const task = new StoredTask(this, this.#lately, amendments, this.#derived?.record)
    task.lastLook = this.lastLook
    task.looks = this.looks
    task.requests = this.requests
    task.key = this.key
    return task
  }

  /** What follows from it is derived anew when it is wanted again. */
  forget(): void {
    this.#derived = undefined
  }

  #derive(): Derived {
    this.#lately.note(this)
    return (this.#derived = { record: unpack(this.id, this.form, this.own), timeline: undefined })
  }
}
