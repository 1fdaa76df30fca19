import type { z } from 'zod'
import type { Position } from './error.ts'
import type { scenarioSchema } from '../vocabulary/scenario-schema.ts'

/** A type as it is without what only tells how a value came to be: keys may be left out, but aren't undefined. */
export type Plain<Value> = Value extends readonly unknown[]
  ? { readonly [Index in keyof Value]: Plain<Value[Index]> }
  : Value extends object
    ? { [Key in keyof Value]: PlainField<Value[Key]> }
    : Value

type PlainField<Value> = unknown extends Value ? Value : Plain<Exclude<Value, undefined>>

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
