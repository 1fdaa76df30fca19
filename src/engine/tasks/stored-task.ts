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
  readonly task: StoredTask
  readonly record: TaskRecord
  timeline: Timeline | undefined
  shown: object | undefined
}

/** How many of those that are wanted for the first time are remembered. */
const maxNewcomers = 50

/**
 * What follows from the tasks that were wanted lately; for all others it is derived when it is wanted. What is remembered
 * for a while and then dropped, the collector has carried about: so a task that is wanted for the first time is soon
 * forgotten again, and only one that is wanted again is remembered for longer.
 *
 * Tasks know their place here, and nothing in them points to it: a million of them are not looked through for what is new.
 */
export class Lately {
  readonly #most: number
  /** The newcomers, then the others: each takes the place of that one of its kind that came longest ago. */
  readonly #places: (Derived | undefined)[]
  #count = 0
  #nextNewcomer = 0
  #next = 0

  /** @param most how many of those that were wanted again are remembered. */
  constructor(most: number) {
    this.#most = most
    this.#places = Array.from({ length: maxNewcomers + most }, () => undefined)
  }

  /** What is remembered of a task. */
  of(task: StoredTask): Derived | undefined {
    const there = this.#places[task.place]
    return there?.task === task ? there : undefined
  }

  /** Remembers a task's record, and forgets another for it. */
  note(task: StoredTask, record: TaskRecord): Derived {
    const order = ++this.#count
    task.place = order - task.wanted <= this.#most ? this.#placeAgain() : this.#placeOfNewcomer()
    task.wanted = order
    return (this.#places[task.place] = { task, record, timeline: undefined, shown: undefined })
  }

  #placeAgain(): number {
    this.#next = (this.#next + 1) % this.#most
    return maxNewcomers + this.#next
  }

  #placeOfNewcomer(): number {
    return (this.#nextNewcomer = (this.#nextNewcomer + 1) % maxNewcomers)
  }
}

/** Before anything that is counted. */
const never = -1_000_000_000

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
  pollCount = 0
  requests = 0
  key: string | undefined = undefined
  /** The how-manieth of all tasks it was when what follows from it was last derived, and where that is. */
  wanted = never
  place = 0
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
    return this.#derived().record
  }

  get timeline(): Timeline {
    const derived = this.#derived()
    derived.timeline ??= timelineOf(derived.record, this.amendments, this.lifecycle)
    return derived.timeline
  }

  get shown(): object | undefined {
    return this.#lately.of(this)?.shown
  }

  set shown(shown: object | undefined) {
    this.#derived().shown = shown
  }

  /** The same task, with what happened to it meanwhile. */
  amended(amendments: readonly Amendment[]): StoredTask {
    const task = new StoredTask(this, this.#lately, amendments)
    task.lastLook = this.lastLook
    task.pollCount = this.pollCount
    task.requests = this.requests
    task.key = this.key
    task.wanted = this.wanted
    const known = this.#lately.of(this)
    if (known) this.#lately.note(task, known.record)
    return task
  }

  #derived(): Derived {
    return this.#lately.of(this) ?? this.#lately.note(this, unpack(this.id, this.form, this.own))
  }
}
