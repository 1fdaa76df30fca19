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
  readonly #listeners = new Set<(event: SimulatorEvent) => void>()

  append(event: SimulatorEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: (event: SimulatorEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
