import { type Change, StateError } from '../../control/state.ts'
import type { ClockMode, ClockSettings } from '../../engine/clock/clock-settings.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { Changes, StateKey, Watch } from '../../engine/tasks/changes.ts'
import type { EventLog, SimulatorEvent } from '../../engine/tasks/events.ts'
import type { OpenTasks } from '../../engine/tasks/open-tasks.ts'
import { items, text } from './checks.ts'
import { clockPart, resumedNow, type StoredClock } from './clock-part.ts'
import { accountParts, countParts } from './count-parts.ts'
import { readNames, type Part, type StateHolders } from './parts.ts'
import { taskParts } from './task-parts.ts'

/** A destination for changes. */
export interface ChangeSink {
  /** Why the next change can't be stored; undefined if it can. */
  obstacle(): string | undefined
  /**
   * Stores changes. After it returns, they survive the end of the process.
   * @param changes the changes; all values if everything may have changed.
   * @returns why it failed, if it did. Then the next write contains these changes again.
   */
  write(changes: Iterable<Change>, isEverything: boolean): string | undefined
}

/** The dependencies of a state, in addition to the holders of its values. */
export interface StateSettings extends StateHolders {
  readonly changes: Changes
  readonly events: EventLog
  readonly open: OpenTasks
  /** The settings of every clock, and the function that creates one. */
  readonly clockSettings: ClockSettings
  readonly newClock: (namespace: string, settings: ClockSettings) => Clock
  /** Forgets everything of a namespace except its name and time. */
  readonly clear: (namespace: string) => void
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
  readonly #settings: StateSettings
  /** In the order of writing: tasks before their amendments, accounts before their reservations. */
  readonly #parts: ReadonlyMap<string, Part>
  readonly #ranks: ReadonlyMap<string, number>
  readonly #storedClocks = new Map<string, StoredClock>()
  #sink: ChangeSink | undefined
  #willStore = false
  /** Whether a write failed, so the next one must include its changes. */
  #isBehind = false

  constructor(settings: StateSettings) {
    this.#settings = settings
    const parts = {
      ...clockPart(settings, this.#storedClocks),
      ...countParts(settings),
      ...taskParts(settings),
      ...accountParts(settings),
    }
    this.#parts = new Map(Object.entries(parts))
    this.#ranks = new Map(Object.keys(parts).map((name, rank) => [name, rank]))
    settings.events.subscribe((event) => this.#onEvent(event))
  }

  /** The names of the parts in the order of writing, and whether namespaces share them. */
  get parts(): readonly { readonly name: string; readonly isShared: boolean }[] {
    return Array.from(this.#parts, ([name, { isShared = false }]) => ({ name, isShared }))
  }

  /** Starts storing every change. */
  attach(sink: ChangeSink): void {
    this.#sink = sink
    this.#settings.changes.begin()
  }

  /** Stops storing. */
  detach(): void {
    this.#sink = undefined
  }

  /** Why the changes of a request can't be stored; undefined if they can, or if nothing is stored. */
  obstacle(): string | undefined {
    // Flush the backlog first; otherwise it grows unbounded.
    return (this.#isBehind ? this.keep() : undefined) ?? this.#sink?.obstacle()
  }

  /** Stores all changes. @returns why it failed, if it did; the next call tries again. */
  keep(): string | undefined {
    const { changes } = this.#settings
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
      const watch = this.#settings.changes.watch()
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
  async #readInTurns(namespace: string | undefined, watch: Watch): Promise<Iterable<Change> | undefined> {
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
    const [name, names, ...rest] = items(value, path)
    const part = this.#parts.get(text(name, `${path}[0]`))
    if (!part) throw new StateError(`${path}[0] is ${JSON.stringify(name)}, which is not a part of a state`)
    const list = readNames(names, part, `${path}[1]`)
    if (rest.length === 0) throw new StateError(`${path} has no value`)
    return [name as string, list, part.check(rest[0], `${path} (${name} ${list.join(' ')})`, list)]
  }

  /**
   * Restores a value that a sink stored. Call {@link resume} after the last one.
   * @throws {StateError} for a value that doesn't fit the present config.
   */
  restore(name: string, stored: unknown): void {
    const part = this.#parts.get(name)!
    const [names, value] = items(stored, `A ${name}`)
    const list = readNames(names, part, `The name of a ${name}`)
    part.write(part.check(value, [name, ...list].join(' '), list) as never, ...list)
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
    const { namespaces, tasks, open, attachments, clockSettings, newClock } = this.#settings
    const { rate: _, start: __, ...usual } = clockSettings
    for (const [name, clock] of this.#storedClocks) {
      const { mode, rate } = forced ?? clock
      const now = countsRealTime ? resumedNow(clock) : clock.now
      // In mode host, the time is the Date of the process.
      const past = mode === 'host' ? {} : { start: clock.beganAt, resume: { ...clock, now } }
      const settings = { ...usual, mode, ...(mode === 'scaled' && { rate }), ...past }
      namespaces.put({ ...namespaces.get(name), clock: newClock(name, settings), beganAt: clock.beganAt })
    }
    open.forget()
    for (const [name, { now }] of this.#storedClocks)
      for (const task of tasks.list(name)) for (const { resume } of attachments) resume?.(task, now)
    this.#storedClocks.clear()
  }

  /** Stores the time of a namespace with the next write, so that a client never sees an earlier time after a restart. */
  noteTime(namespace: string): void {
    this.#settings.changes.note('clock', namespace)
  }

  /** Stores all values with the next write. */
  everythingChanged(): void {
    this.#settings.changes.everything()
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
    const { changes } = this.#settings
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
