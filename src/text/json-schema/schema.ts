import type { WorkBudget } from '../../engine/work-budget.ts'
import { SchemaRefused, type DeclaredSchema } from '../spec.ts'
import { checkSchema, type MinDepths } from './check.ts'
import { orRefuse } from './constraints.ts'
import { fits } from './fits.ts'
import { drawInstance, type InstanceWishes } from './instance.ts'
import type { SchemaNode } from './node.ts'
import { readSchema, refuse } from './read.ts'

/** A schema that was read and found free of contradictions. */
export interface CompiledSchema {
  root: SchemaNode
  heights: MinDepths
}

/**
 * Reads and checks a schema.
 * @throws {SchemaRefused} with the place and the reason.
 * @throws {WorkRefused} when the budget runs out.
 */
export function compileSchema(declared: DeclaredSchema, work: WorkBudget): CompiledSchema {
  const known = compiled.get(declared)
  if (known !== undefined) return known
  const read = readSchema(declared, work)
  const made = { root: read.root, heights: checkSchema(read, work) }
  compiled.set(declared, made)
  return made
}

/** A request asks for its schema several times: when it is checked, and for every candidate. */
const compiled = new WeakMap<DeclaredSchema, CompiledSchema>()

/**
 * A value that is valid for the schema: a rich one, and where that is impossible or too large, the smallest.
 * @throws {SchemaRefused} when there is none.
 * @throws {WorkRefused} when the budget runs out.
 */
export function writeInstance({ root, heights }: CompiledSchema, wishes: InstanceWishes): unknown {
  const { work } = wishes
  try {
    const rich = orRefuse(() => drawInstance(root, heights, wishes))
    if (fits(root, rich, work)) return rich
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
  }
  const bare: InstanceWishes = { ...wishes, suggest: () => [], choose: () => [], optional: 'none' }
  const smallest = orRefuse(() => drawInstance(root, heights, bare))
  return fits(root, smallest, work) ? smallest : refuse('', 'no value was found that is valid for all of it')
}
