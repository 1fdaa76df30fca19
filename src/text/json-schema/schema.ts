import type { WorkBudget } from '../../engine/work-budget.ts'
import { SchemaRefused, type DeclaredSchema } from '../spec.ts'
import { checkSchema, type MinDepths } from './check.ts'
import { fits } from './fits.ts'
import type { InstanceOptions } from './containers.ts'
import { InstanceWriter } from './instance.ts'
import type { SchemaNode } from './node.ts'
import { readSchema } from './read.ts'
import { orRefuse, refuse } from './refuse.ts'
import { checkStrict } from './strict.ts'

/** A schema that was read and found free of contradictions. */
export interface CompiledSchema {
  readonly root: SchemaNode
  readonly depths: MinDepths
  /** What it has that is not honoured, for the hint header. */
  readonly notes: readonly string[]
}

/** A request needs its schema several times: for its check, and for every candidate. */
const compiled = new WeakMap<DeclaredSchema, CompiledSchema>()

/**
 * Reads and checks a schema.
 * @throws {SchemaRefused} with the place and the reason.
 * @throws {WorkRefused} when the budget runs out.
 */
export function compileSchema(declared: DeclaredSchema, work: WorkBudget): CompiledSchema {
  const known = compiled.get(declared)
  if (known !== undefined) return known
  if (declared.strict !== undefined) checkStrict(declared.schema, declared.strict, work)
  const read = readSchema(declared, work)
  const made = { root: read.root, depths: checkSchema(read, work), notes: read.notes }
  compiled.set(declared, made)
  return made
}

/**
 * A value that is valid for the schema: a rich one, and if that is impossible or too large, the smallest.
 * @throws {SchemaRefused} when there is none.
 * @throws {WorkRefused} when the budget runs out.
 */
export function writeInstance({ root, depths }: CompiledSchema, options: InstanceOptions): unknown {
  const { work } = options
  const draw = (how: InstanceOptions): unknown =>
    orRefuse(() => new InstanceWriter(depths, how).value([root], { name: '', path: '', depth: 0, taken: 0 }))
  try {
    const rich = draw(options)
    if (fits(root, rich, work)) return rich
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
  }
  const smallest = draw({ ...options, suggest: () => [], choose: () => [], optional: 'none' })
  return fits(root, smallest, work) ? smallest : refuse('', 'no value was found that is valid for all of it')
}
