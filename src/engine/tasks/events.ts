import type { ClockMode, Stuck } from '../clock/clock-settings.ts'
import type { Amendment, TaskRecord } from './plan.ts'

/**
 * What changes tasks and time, in the order in which it happened. Records are flat JSON; the same events applied
 * to an empty simulator give the same tasks, each with the same timeline, and tell where each clock stood. What
 * only steers chance and pace is not kept: attempts, the counts of rules, and when clients looked.
 *
 * @example
 * const kept: SimulatorEvent[] = []
 * const stop = sim.core.events.subscribe((event) => void kept.push(event))
 * await client.submitVideo('a red kite')
 * stop()
 * kept.map(({ type }) => type) // → ['task.submitted']
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
   * Time stands still for good. A client's own timeout may still end it, so whoever gives up should wait a moment and
   * look whether the clock's status says so yet.
   */
  | {
      readonly type: 'clock.stuck'
      readonly at: number
      readonly namespace: string
      readonly outcome: Stuck['outcome']
      readonly why: string
      readonly waiting: readonly string[]
    }

/** Hands events on to whoever wants to keep them. Keeps none itself. */
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
