import type * as z from 'zod/mini'
import type { Position } from './error.ts'
import type { Plain } from '../schema/fields.ts'
import type { scenarioSchema } from '../vocabulary/scenario-schema.ts'

/** What a scenario file says, after it was checked. */
export type FileScenario = Plain<z.output<typeof scenarioSchema>>

/** A scenario with where it stands. */
export interface LoadedScenario {
  /** The scenario, with all it extends, and paths of media made absolute. */
  readonly scenario: FileScenario
  /** The files it stands in, its own first. */
  readonly files: readonly string[]
  /**
   * Where something stands, such as `['rules', 3]` or `['expect', 'tasks', 0]`.
   * @returns the nearest place above it that is known.
   */
  readonly at: (place: readonly PropertyKey[]) => Position
}
