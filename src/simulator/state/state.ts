import { type Change, StateError } from '../../control/state.ts'
import type { ClockMode } from '../../engine/clock/clock-settings.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { StateKey, ChangeWatch } from '../../engine/tasks/changes.ts'
import type { SimulatorEvent } from '../../engine/tasks/events.ts'
import type { Attachment } from '../../apis/define/api.ts'
import type { Core } from '../../gateway/core.ts'
import { list, readNames, readStored, readValue, type StatePart } from './parts.ts'
import { clockPart, resumedNow, type StoredClock } from './clock-part.ts'
import { accountParts, countParts, firstReplyParts } from './count-parts.ts'
import { taskParts } from './task-parts.ts'

/** A destination for changes. */
export interface ChangeSink {
  /**
   * Stores changes. After it returns, they survive the end of the process.
   * @param changes the changes; all values if everything may have changed.
   * @returns why it failed, if it did. Then the next write contains these changes again.
   */
  write(changes: Iterable<Change>, isEverything: boolean): string | undefined
}

/** How many values are read before other work gets a turn. */
const valuesInTurn = 1_000
/** How many times a read starts over because everything changed. */
const maxAttempts = 3

/**
 * Everything that a simulator needs to continue after a restart: values by part and names. It collects changes and passes
 * the values to a sink. Values written back in the same order restore the same simulator.
 */
export class State {
  readonly #core: Core
  readonly #attachments: readonly Attachment[]
  /** In the order of writing: tasks before their amendments, accounts before their reservations. */
  readonly #parts: ReadonlyMap<string, StatePart>
  readonly #ranks: ReadonlyMap<string, number>
  readonly #storedClocks = new Map<string, StoredClock>()
  #sink: ChangeSink | undefined
  #willStore = false
  /** Whether a write failed, so the next one must include its changes. */
  #isBehind = false

  /** @param attachments what APIs have attached to the simulator. */
  constructor(core: Core, attachments: readonly Attachment[]) {
    this.#core = core
    this.#attachments = attachments
    const parts = {
      ...clockPart(core, this.#storedClocks),
      ...countParts(core),
      ...taskParts(core),
      ...firstReplyParts(core),
      ...accountParts(core, attachments),
    }
    this.#parts = new Map(Object.entries(parts))
    this.#ranks = new Map(Object.keys(parts).map((name, rank) => [name, rank]))
    core.events.subscribe((event) => this.#onEvent(event))
  }

  /** The names of the parts in the order of writing, and whether namespaces share them. */
  get parts(): readonly { readonly name: string; readonly isShared: boolean }[] {
    return Array.from(this.#parts, ([name, { isShared }]) => ({ name, isShared }))
  }

  /** Starts storing every change. */
  attach(sink: ChangeSink): void {
    this.#sink = sink
    this.#core.changes.begin()
  }

  /** Stops storing. */
  detach(): void {
    this.#sink = undefined
  }

  /** Why the changes of a request can't be stored; undefined if they can, or if nothing is stored. */
  obstacle(): string | undefined {
    return this.#isBehind ? this.keep() : undefined
  }

  /** Stores all changes. @returns why it failed, if it did; the next call tries again. */
  keep(): string | undefined {
    const { changes } = this.#core
    if (!this.#sink || changes.isEmpty) return undefined
    const keys = changes.list()
    const problem = this.#sink.write(keys ? this.#changed(keys) : this.values(), !keys)
    if (problem === undefined) changes.markStored()
    this.#isBehind = problem !== undefined
    return problem
  }

  /** Every value, in an order in which it can be restored. */
  *values(namespace?: string): Generator<Change> {
    for (const [name, part] of this.#parts) {
      if (namespace !== undefined && part.isShared) continue
      for (const names of part.list(namespace)) {
        const change = this.#valueAt(name, names)
        if (change.length === 3) yield change
      }
    }
  }

  /**
   * Like {@link values}, but read in many turns. Values that change meanwhile are read again in the last turn, so all show
   * one instant. No request waits, and only changed values are copied.
   */
  async valuesInTurns(namespace?: string): Promise<Iterable<Change>> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const watch = this.#core.changes.watch()
      try {
        const values = await this.#readInTurns(namespace, watch)
        if (values) return values
      } finally {
        watch.end()
      }
    }
    return [...this.values(namespace)]
  }

  /** @returns undefined if a namespace was cleared or everything restored meanwhile. */
  async #readInTurns(
    namespace: string | undefined,
    watch: ChangeWatch,
  ): Promise<Iterable<Change> | undefined> {
    const values = new Map([...this.#parts.keys()].map((name) => [name, new Map<string, Change>()]))
    const put = (change: Change): void => {
      const [name, names] = change
      if (change.length === 2) values.get(name)!.delete(JSON.stringify(names))
      else values.get(name)!.set(JSON.stringify(names), change)
    }
    const isMeant = (key: StateKey): boolean =>
      namespace === undefined || (key[1] === namespace && !this.#parts.get(key[0])!.isShared)
    let read = 0
    for (const change of this.values(namespace)) {
      put(change)
      if (++read % valuesInTurn === 0) await nextTurn()
    }
    for (;;) {
      if (watch.isOver) return undefined
      const changed = watch.take().filter(isMeant)
      for (const key of changed.slice(0, valuesInTurn)) put(this.#valueOf(key))
      if (changed.length <= valuesInTurn) break
      for (const key of changed.slice(valuesInTurn)) watch.note(key)
      await nextTurn()
    }
    // Rules are few, and their order matters, so all are read again.
    for (const [name, part] of this.#parts) {
      if (!part.isShared || namespace !== undefined) continue
      values.get(name)!.clear()
      for (const names of part.list(undefined)) put(this.#valueAt(name, names))
    }
    return [...values.values()].flatMap((part) => [...part.values()])
  }

  /**
   * Checks a change from outside.
   * @param path names it in errors.
   * @throws {StateError} for an unknown part or an invalid value.
   */
  check(value: unknown, path: string): Change {
    const [name, names, ...rest] = readStored(list, value, path)
    const part = this.#parts.get(name as string)
    if (!part) throw new StateError(`${path}[0] is ${JSON.stringify(name)}, which is not a part of a state`)
    const found = readNames(names, part, `${path}[1]`)
    if (rest.length === 0) throw new StateError(`${path} has no value`)
    readValue(part, rest[0], `${path} (${[name, ...found].join(' ')})`, found)
    return [name as string, found, rest[0]]
  }

  /**
   * Restores a value that a sink stored. Call {@link resume} after the last one.
   * @throws {StateError} for a value that doesn't fit the present config.
   */
  restore(name: string, stored: unknown): void {
    const part = this.#parts.get(name)!
    const [names, value] = readStored(list, stored, `A ${name}`)
    const found = readNames(names, part, `The name of a ${name}`)
    readValue(part, value, [name, ...found].join(' '), found)
    part.write(value as never, ...found)
  }

  /** Writes a checked value. Call {@link resume} after the last one. */
  write([name, names, value]: Change): void {
    this.#parts.get(name)!.write(value as never, ...names)
  }

  /**
   * Starts the clocks. Call it when all values are written.
   * @param options `countsRealTime`: whether the real time that passed meanwhile counts; `mode`: replaces the mode of all clocks.
   */
  resume({
    countsRealTime = false,
    mode: forced,
  }: { countsRealTime?: boolean; mode?: { mode: ClockMode; rate: number } } = {}): void {
    const { namespaces, tasks, open, createClock } = this.#core
    for (const [name, clock] of this.#storedClocks) {
      const { mode, rate } = forced ?? clock
      const now = countsRealTime ? resumedNow(clock) : clock.now
      // In mode host, the time is the Date of the process.
      const past = mode === 'host' ? {} : { start: clock.beganAt, resume: { ...clock, now } }
      const resumed = createClock(name, { mode, ...(mode === 'scaled' && { rate }), ...past })
      namespaces.put({ ...namespaces.get(name), clock: resumed, beganAt: clock.beganAt })
    }
    open.forget()
    for (const [name, { now }] of this.#storedClocks)
      for (const task of tasks.list(name)) for (const { resume } of this.#attachments) resume?.(task, now)
    this.#storedClocks.clear()
  }

  /** Stores the time of a namespace with the next write, so that a client never sees an earlier time after a restart. */
  noteTime(namespace: string): void {
    this.#core.changes.note('clock', namespace)
  }

  /** Stores all values with the next write. */
  everythingChanged(): void {
    this.#core.changes.everything()
  }

  #changed(keys: readonly StateKey[]): Change[] {
    // A task may be noted after its amendments, so sort.
    const inOrder = keys.toSorted(([one], [other]) => this.#rankOf(one) - this.#rankOf(other))
    return inOrder.flatMap((key) =>
      // Values that remain after a clear, such as the time, are written again.
      key[0] === 'cleared' ? [['cleared', [key[1]]], ...this.values(key[1])] : [this.#valueOf(key)],
    )
  }

  #rankOf(part: string): number {
    return this.#ranks.get(part) ?? -1
  }

  #valueOf([part, ...names]: StateKey): Change {
    return this.#valueAt(part, names)
  }

  #valueAt(part: string, names: readonly string[]): Change {
    const value = this.#parts.get(part)!.read(...names)
    return value === undefined ? [part, names] : [part, names, value]
  }

  #onEvent(event: SimulatorEvent): void {
    const { changes } = this.#core
    if (event.type === 'task.submitted') {
      const { namespace, id, lifecycle } = event.task
      changes.note('task', namespace, id)
      changes.note('submitted', namespace, lifecycle)
    } else if (event.type === 'task.amended') changes.note('amended', event.namespace, event.id)
    else if (event.type === 'task.removed') {
      for (const part of ['task', 'amended', 'look'] as const) changes.note(part, event.namespace, event.id)
    } else if (event.type === 'tasks.cleared') changes.note('cleared', event.namespace)
    else changes.note('clock', event.namespace)
    this.#storeSoon()
  }

  /** Changes between requests are stored in the next turn; those of a request are stored before its response. */
  #storeSoon(): void {
    if (!this.#sink || this.#willStore) return
    this.#willStore = true
    hostTimers.setImmediate(() => {
      this.#willStore = false
      // If it fails, the sink warns, and the next change tries again.
      this.keep()
    })
  }
}
