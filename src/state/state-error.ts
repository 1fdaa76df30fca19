import { recognizeCopies } from '../engine/shared-error.ts'

/**
 * A state that can't be gone on from. The message says where it is wrong, and what to do.
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
