import type { StateKey, Changes, Watch } from '../engine/tasks/changes.ts'
import type { ClockMode } from '../engine/clock/clock-settings.ts'
import type { EventLog, SimulatorEvent } from '../engine/tasks/events.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { nextTurn } from '../engine/clock/timers/steps.ts'
import { countParts } from './count-parts.ts'
import { moneyParts } from './money-parts.ts'
import type { Names, Part, StateParts } from './parts.ts'
import { listOf, textOf } from './shape.ts'
import { StateError } from './state-error.ts'
import { taskParts } from './task-parts.ts'
import { clockPart, resumedNow, type KeptClock } from './time-part.ts'

/** A value of the state by its part and names; without a value, it is gone. */
export type Change = readonly [part: string, names: Names, value?: unknown]

/** Where changes are kept. */
export interface ChangeSink {
  /** Why what comes next can't be kept; undefined when there is room for it. */
  obstacle(): string | undefined
  /**
   * Keeps changes: when it returns they outlive the process.
   * @param changes undefined where everything is to be kept anew.
   * @returns why they couldn't be kept, if so; then they will come again.
   */
  write(changes: readonly Change[] | undefined): string | undefined
}

/** What a state does beside its parts. */
export interface StateSettings extends StateParts {
  readonly changes: Changes
  readonly events: EventLog
  /** Forgets everything of a namespace but its name. */
  readonly clear: (namespace: string) => void
  /** Lets a namespace's time go on from somewhere. */
  readonly resume: (namespace: string, clock: KeptClock) => void
  /** Told when a state was gone on from: where each clock stood. */
  readonly onResumed: (stood: ReadonlyMap<string, number>) => void
}

/** So many values are read in one turn. */
const valuesInTurn = 1_000
/** How often a reading begins again that was overtaken. */
const maxAttempts = 3
const taskPartNames: ReadonlySet<string> = new Set(['task', 'amended', 'look'])

/** Values by part, then by names: what comes while others are read stands with its like. */
type PartValues = ReadonlyMap<string, Map<string, Change>>

function keyOfNames(names: Names): string {
  return names.length === 1 ? names[0]! : JSON.stringify(names)
}

function* oneByOne(values: PartValues): Generator<Change> {
  for (const part of values.values()) yield* part.values()
}

/**
 * All that a simulator has to know to go on: values by part and names. What changes is noted, and whoever keeps it is
 * given the values; read back in the same order they make the same simulator.
 */
export class State {
  readonly #settings: StateSettings
  readonly #parts: ReadonlyMap<string, Part>
  readonly #ranks: ReadonlyMap<string, number>
  #clocks = new Map<string, KeptClock>()
  #keeper: ChangeSink | undefined
  #soon = false
  #isBehind = false

  constructor(settings: StateSettings) {
    this.#settings = settings
    const clock = clockPart(settings, (name, past) => {
      if (past) this.#clocks.set(name, past)
      else this.#clocks.delete(name)
    })
    // In the order in which they must be written: accounts before what is set aside in them.
    this.#parts = new Map(
      Object.entries({ clock, ...countParts(settings), ...taskParts(settings), ...moneyParts(settings) }),
    )
    this.#ranks = new Map([...this.#parts.keys()].map((name, rank) => [name, rank]))
    settings.events.subscribe((event) => this.#hear(event))
  }

  /** From now on everything that changes is kept here. */
  keepIn(keeper: ChangeSink): void {
    this.#keeper = keeper
    this.#settings.changes.begin()
  }

  /** From now on nothing is kept. */
  keepNoMore(): void {
    this.#keeper = undefined
  }

  /** Why what a request changes can't be kept; undefined when it can, or nothing is. */
  obstacle(): string | undefined {
    // What is still to be kept comes first: else more and more would be done that is kept nowhere.
    return (this.#isBehind ? this.keep() : undefined) ?? this.#keeper?.obstacle()
  }

  /** Keeps what has changed. @returns why it couldn't; then it is kept as soon as it can be. */
  keep(): string | undefined {
    const { changes } = this.#settings
    if (!this.#keeper || changes.isEmpty) return undefined
    const problem = this.#keeper.write(this.#changed())
    if (problem === undefined) changes.kept()
    this.#isBehind = problem !== undefined
    return problem
  }

  /** Every value there is, in an order in which it can be written back. Values are read when they are asked for. */
  *values(namespace?: string): Generator<Change> {
    for (const [name, part] of this.#parts) {
      if (namespace !== undefined && part.isShared) continue
      for (const names of part.all(namespace)) {
        const change = this.#valueAt([name, ...names])
        if (change.length === 3) yield change
      }
    }
  }

  /**
   * As {@link values}, all of one instant, read in many turns: what changes while others are read is read again in the last
   * turn. So nobody waits for it, and nothing is copied that does not change.
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
    // Somebody clears or restores the state again and again.
    return [...this.values(namespace)]
  }

  /** @returns undefined where a namespace was cleared, or everything restored, meanwhile. */
  async #readInTurns(namespace: string | undefined, watch: Watch): Promise<Iterable<Change> | undefined> {
    const values: PartValues = new Map([...this.#parts.keys()].map((name) => [name, new Map()]))
    let count = 0
    for (const change of this.values(namespace)) {
      values.get(change[0])!.set(keyOfNames(change[1]), change)
      if (++count % valuesInTurn === 0) await nextTurn()
    }
    for (;;) {
      if (watch.isOver) return undefined
      const changed = watch.take()
      for (const address of changed.slice(0, valuesInTurn)) this.#readAgain(values, address, namespace)
      if (changed.length <= valuesInTurn) break
      for (const address of changed.slice(valuesInTurn)) watch.note(address)
      await nextTurn()
    }
    this.#readShared(values, namespace)
    return oneByOne(values)
  }

  #readAgain(values: PartValues, address: StateKey, namespace: string | undefined): void {
    const [name, ...names] = address
    const part = values.get(name)!
    const change = this.#valueAt(address)
    if (change.length === 2) part.delete(keyOfNames(names))
    else if (namespace === undefined || this.#homeOf(change) === namespace)
      part.set(keyOfNames(names), change)
  }

  #homeOf([part, [name]]: Change): string | undefined {
    if (this.#parts.get(part)!.isShared) return undefined
    if (!taskPartNames.has(part)) return name
    return this.#settings.tasks.find(name!)?.record.namespace
  }

  /** Rules are few, and in an order of their own. */
  #readShared(values: PartValues, namespace: string | undefined): void {
    for (const [name, part] of this.#parts) {
      if (!part.isShared || namespace !== undefined) continue
      values.get(name)!.clear()
      for (const names of part.all(undefined)) this.#readAgain(values, [name, ...names], undefined)
    }
  }

  /**
   * Takes a change for what it says.
   * @throws {StateError} for a part nobody knows, and a value that can't be.
   */
  check(value: unknown, where: string): Change {
    const [name, names, ...rest] = listOf(value, where)
    const part = this.#parts.get(textOf(name, `${where}[0]`))
    const list = listOf(names, `${where}[1]`).map((each) => textOf(each, `${where}[1]`))
    if (name === 'cleared') return ['cleared', list]
    if (!part) throw new StateError(`${where}[0] is ${JSON.stringify(name)}, which is no part of a state`)
    if (rest.length === 0) return [name as string, list]
    return [name as string, list, part.check(rest[0], `${where} (${name} ${list.join(' ')})`, list)]
  }

  /** Writes a checked change. Call {@link resume} behind the last one. */
  write([name, names, value]: Change): void {
    if (name === 'cleared') return this.#settings.clear(names[0]!)
    const part = this.#parts.get(name)!
    if (value === undefined) part.remove?.(...names)
    else part.write(value as never, ...names)
  }

  /**
   * Lets time go on, when all was written.
   * @param options `asLeft`: real time went on meanwhile; `mode`: all clocks go on in another mode.
   */
  resume({
    asLeft = false,
    mode,
  }: { asLeft?: boolean; mode?: { mode: ClockMode; rate: number } } = {}): void {
    const stood = new Map<string, number>()
    for (const [name, clock] of this.#clocks) {
      stood.set(name, clock.now)
      this.#settings.resume(name, { ...clock, now: asLeft ? resumedNow(clock) : clock.now, ...mode })
    }
    this.#clocks = new Map()
    this.#settings.onResumed(stood)
  }

  /** Notes how late it is, for whoever was told and comes again: time never goes back. */
  noteTime(namespace: string): void {
    this.#settings.changes.note('clock', namespace)
  }

  /** Keeps everything anew with the next that is kept. */
  everythingChanged(): void {
    this.#settings.changes.everything()
  }

  /** The values of what has changed, in an order in which they can be written back. */
  #changed(): Change[] | undefined {
    const list = this.#settings.changes.list()
    if (!list) return undefined
    // A task's change may be heard of before the task, and what was cleared before what has come since.
    const inOrder = list.toSorted((one, other) => this.#rankOf(one) - this.#rankOf(other))
    return inOrder.map((address) => this.#valueAt(address))
  }

  #rankOf([part]: StateKey): number {
    return this.#ranks.get(part) ?? -1
  }

  #valueAt([name, ...names]: StateKey): Change {
    if (name === 'cleared') return [name, names]
    const value = this.#parts.get(name)!.read(...names)
    return value === undefined ? [name, names] : [name, names, value]
  }

  #hear(event: SimulatorEvent): void {
    const { changes } = this.#settings
    if (event.type === 'task.submitted') changes.note('task', event.task.id)
    else if (event.type === 'task.amended') changes.note('amended', event.id)
    else if (event.type === 'task.removed') changes.note('task', event.id)
    else if (event.type === 'tasks.cleared') changes.note('cleared', event.namespace)
    else changes.note('clock', event.namespace)
    this.#keepSoon()
  }

  /** What happens between requests is kept in the next turn; what comes of a request, with the request. */
  #keepSoon(): void {
    if (!this.#keeper || this.#soon) return
    this.#soon = true
    hostTimers.setImmediate(() => {
      this.#soon = false
      // Where it fails, who keeps tells of it, and it is tried again with the next change.
      this.keep()
    })
  }
}
