import { SchemaRefused, type DeclaredSchema } from '../spec.ts'
import { checkSchema, type MinDepths } from './check.ts'
import { fits } from './fits.ts'
import type { InstanceOptions } from './containers.ts'
import { InstanceWriter } from './instance.ts'
import type { SchemaNode } from './node.ts'
import { readSchema } from './read.ts'
import { orRefuse, refuseSchema } from './refuse.ts'
import { checkStrict } from './strict.ts'

/** A schema without contradictions. */
export interface CompiledSchema {
  readonly root: SchemaNode
  readonly depths: MinDepths
  /** Notes on keywords that are ignored, for the hint header. */
  readonly notes: readonly string[]
  /** The size of all patterns. */
  readonly links: number
}

/** Memoized: a request uses its schema for the check, and for every candidate. */
const compiled = new WeakMap<DeclaredSchema, CompiledSchema>()

/**
 * Reads and checks a schema.
 * @throws {SchemaRefused} with the pointer and the reason.
 */
export function compileSchema(declared: DeclaredSchema): CompiledSchema {
  const known = compiled.get(declared)
  if (known !== undefined) return known
  if (declared.strict !== undefined) checkStrict(declared.schema, declared.strict)
  const read = readSchema(declared)
  const made = { root: read.root, depths: checkSchema(read), notes: read.notes, links: read.links }
  compiled.set(declared, made)
  return made
}

/**
 * Writes a value that is valid for the schema: a rich one, or the smallest if that is impossible or too large.
 * @throws {SchemaRefused} if there is none.
 */
export function writeInstance({ root, depths }: CompiledSchema, options: InstanceOptions): unknown {
  const draw = (how: InstanceOptions): unknown =>
    orRefuse(() => new InstanceWriter(depths, how).value([root], { name: '', path: '', depth: 0, taken: 0 }))
  try {
    const rich = draw(options)
    if (fits(root, rich)) return rich
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
  }
  const smallest = draw({ ...options, suggest: () => [], choose: () => [], optional: 'none' })
  return fits(root, smallest) ? smallest : refuseSchema('', 'no value was found that is valid for all of it')
}
