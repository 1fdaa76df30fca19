import type { Scenario } from '../scenario/vocabulary/types.ts'
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
  /** The scenario, merged with all files that it extends. Paths of media are absolute. */
  readonly scenario: Scenario
  /** Its files; its own file is the first. */
  readonly files: readonly string[]
  /**
   * Returns the position of a part, such as `['rules', 3]` or `['expect', 'tasks', 0]`, or of the nearest parent with a
   * known position.
   */
  readonly at: (place: readonly PropertyKey[]) => Position
}

/** A valid part of a scenario that is probably not intended, or that has a better alternative. */
export interface LintFinding {
  /** `mistake`: it can't have the intended effect. `advice`: it works, but there is a better way. */
  readonly severity: 'mistake' | 'advice'
  readonly place: readonly PropertyKey[]
  /** What is affected, what is wrong, and how to correct it. */
  readonly message: string
}
