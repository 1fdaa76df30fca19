import type { ClockMode, Stuck } from '../clock/clock-settings.ts'
import type { Amendment, TaskRecord } from './plan.ts'

/**
 * A change of tasks or time. Records are flat JSON; the same events applied to an empty simulator give the same
 * tasks, with the same timelines. Attempts, polls and counts of rules are not events.
 *
 * @example
 * const events: SimulatorEvent[] = []
 * const stop = sim.core.events.subscribe((event) => void events.push(event))
 * await client.submitVideo('a red kite')
 * stop()
 * events.map(({ type }) => type) // → ['task.submitted']
 */
export type SimulatorEvent =
  | { readonly type: 'task.submitted'; readonly at: number; readonly task: TaskRecord }
  | {
      readonly type: 'task.amended'
      readonly at: number
      readonly namespace: string
      readonly id: string
      readonly amendment: Amendment
    }
  | {
      readonly type: 'task.removed'
      readonly at: number
      readonly namespace: string
      readonly id: string
    }
  | { readonly type: 'tasks.cleared'; readonly at: number; readonly namespace: string }
  | { readonly type: 'clock.moved'; readonly at: number; readonly namespace: string }
  | {
      readonly type: 'clock.changed'
      readonly at: number
      readonly namespace: string
      readonly mode: ClockMode
      readonly rate: number
    }
  /**
   * Time can't move any more. A client's own timeout may still end that: wait a moment and check the clock's status
   * before you give up.
   */
  | {
      readonly type: 'clock.stuck'
      readonly at: number
      readonly namespace: string
      readonly outcome: Stuck['outcome']
      readonly why: string
      readonly waiting: readonly string[]
    }

/** Passes events to its subscribers. */
export class EventLog {
  /** In the order of subscription, each with the only type that it hears, if there is one. */
  readonly #listeners = new Map<(event: SimulatorEvent) => void, SimulatorEvent['type'] | undefined>()

  append(event: SimulatorEvent): void {
    for (const [listener, type] of this.#listeners)
      if (type === undefined || type === event.type) listener(event)
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: (event: SimulatorEvent) => void): () => void {
    this.#listeners.set(listener, undefined)
    return () => void this.#listeners.delete(listener)
  }

  /** Subscribes to the events of one type, for good. */
  on<Type extends SimulatorEvent['type']>(
    type: Type,
    listener: (event: Extract<SimulatorEvent, { type: Type }>) => void,
  ): void {
    this.#listeners.set(listener as (event: SimulatorEvent) => void, type)
  }
}
