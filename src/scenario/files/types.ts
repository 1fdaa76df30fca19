import type { Scenario } from '../vocabulary/types.ts'
import type { Position } from './error.ts'

/**
 * A scenario with the positions of its parts.
 *
 * @example
 * const { scenario, at }: LoadedScenario = await loadScenario('scenarios/second-task-fails.yaml')
 * scenario.name // → 'The second task fails'
 * at(['rules', 0]).file // → '…second-task-fails.yaml'
 */
export interface LoadedScenario {
  /** The scenario, with all it extends, and paths of media made absolute. */
  readonly scenario: Scenario
  /** Its files, its own first. */
  readonly files: readonly string[]
  /** The position of a part, such as `['rules', 3]` or `['expect', 'tasks', 0]`, or of the nearest known part around it. */
  readonly at: (place: readonly PropertyKey[]) => Position
}
