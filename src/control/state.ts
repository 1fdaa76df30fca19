import { recognizeCopies } from '../engine/shared-error.ts'

/** A value of the state, by its part and its names there; without a value, it was removed. */
export type Change = readonly [part: string, names: readonly string[], value?: unknown]

/**
 * All that a simulator, or one of its namespaces, needs to continue from an instant, as one document.
 *
 * @example
 * await client.submitVideo('a red kite')
 * const snapshot: Snapshot = sim.snapshot()
 * snapshot // → { greenroom: 'snapshot', seed: '1', namespace: 'default', … }
 */
export interface Snapshot {
  readonly greenroom: 'snapshot'
  readonly version: number
  /** The version of greenroom that made it. */
  readonly made: string
  readonly seed: string
  /** Set when it is of one namespace. */
  readonly namespace?: string
  /** Values by part and names. */
  readonly state: readonly Change[]
}

/** What a restore brought back. */
export interface Restored {
  readonly namespaces: readonly string[]
  readonly tasks: number
}

/**
 * A state that can't be restored. The message says where it is invalid, and what to do.
 *
 * @example
 * const other = createSimulator({ seed: 8 })
 * sim.restore(other.snapshot()) // throws StateError: The snapshot was made with seed "8", while this simulator has "1": …
 */
export class StateError extends Error {
  static {
    recognizeCopies(this, 'StateError')
  }

  override name = 'StateError'
}
