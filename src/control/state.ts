import { caps } from '../engine/caps.ts'
import { once } from '../engine/once.ts'
import { named } from '../scenario/schema/fields.ts'
import * as z from 'zod/mini'
import { integer, optionalText } from '../scenario/schema/json-values.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import { JsonInPieces, routesFor, type ControlRoute } from './route.ts'

/** A value of the state, by its part and names. Without a value, it was removed. */
export type Change = readonly [part: string, names: readonly string[], value?: unknown]

/**
 * A document with everything that a simulator, or one of its namespaces, needs to continue from an instant.
 *
 * @example
 * await client.submitVideo('a red kite')
 * const snapshot: Snapshot = sim.snapshot()
 * snapshot // → { greenroom: 'snapshot', seed: '1', namespace: 'default', … }
 */
export interface Snapshot {
  readonly greenroom: 'snapshot'
  readonly version: number
  /** The version of greenroom that wrote it. */
  readonly made: string
  readonly seed: string
  /** Set if it contains one namespace. */
  readonly namespace?: string
  /** The versions of the APIs of users, by name. */
  readonly apis?: Readonly<Record<string, number>>
  /** Values by part and names. */
  readonly state: readonly Change[]
}

/** The result of a restore. */
export interface Restored {
  readonly namespaces: readonly string[]
  readonly tasks: number
}

/**
 * Thrown for a state that can't be restored. The message names the invalid place, and says what to do.
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

/** The complete state, as one document. The simulator implements it. */
export interface StateControl {
  /** The state of one namespace, or of all. */
  snapshot(namespace?: string): Snapshot
  /** Like `snapshot`, as JSON in pieces. They show one instant, but don't block other requests. */
  snapshotText(namespace?: string): Promise<Iterable<string>>
  /**
   * Replaces the state by a snapshot.
   * @param options `isTrusted` lets tasks name files and URLs that this simulator doesn't know.
   * @throws {StateError} for an invalid document. The state is unchanged then.
   */
  restore(document: unknown, options?: { namespace?: string; isTrusted?: boolean }): Restored
  /** Like `restore`, but other requests get turns while the document is checked. */
  restoreInTurns(document: unknown, options?: { namespace?: string }): Promise<Restored>
}

/** The maximum number of JSON values in a snapshot. */
export const maxSnapshotValues = 20_000_000

const snapshotSchema = once(() =>
  named(
    'Snapshot',
    z.object({
      greenroom: z.literal('snapshot'),
      version: integer,
      made: z.string(),
      seed: z.string(),
      namespace: optionalText,
      apis: z.optional(z.record(z.string(), integer)),
      state: z.array(z.array(z.unknown())),
    }),
    'The complete state. Send it back unchanged.',
  ),
)

const route = routesFor<StateControl>()

export const stateRoutes: readonly ControlRoute<StateControl>[] = [
  route(
    'GET /snapshot',
    'the complete state as one document, of all namespaces or the given one',
    () => ({ answer: { json: snapshotSchema() } }),
    async (state, { named }) => new JsonInPieces(await state.snapshotText(named)),
  ),
  route(
    'PUT /snapshot',
    'replace the state by a document that GET /_greenroom/snapshot returned',
    () => ({
      body: snapshotSchema(),
      answer: { json: z.object({ namespaces: z.array(z.string()), tasks: integer }) },
    }),
    (state, { named, body }) => state.restoreInTurns(body, named === undefined ? {} : { namespace: named }),
    { maxBodyBytes: caps.snapshotBytes, maxBodyValues: maxSnapshotValues },
  ),
]
