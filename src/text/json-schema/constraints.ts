import type { WorkBudget } from '../../engine/work-budget.ts'
import { under, type SchemaNode } from './node.ts'
import { schemaWork } from './schema-work.ts'
import { refuse } from './read.ts'

/** All nodes that one value must fit, and the alternatives that are still to be chosen. */
export interface Constraints {
  nodes: readonly SchemaNode[]
  choices: readonly Choice[]
}

/** Alternatives of which one must fit, or with `only`, exactly one. */
export interface Choice {
  parts: readonly SchemaNode[]
  only: boolean
  pointer: string
}

/** Two things that are asked of one value exclude each other; another alternative may still do. */
export class Contradiction extends Error {
  readonly pointer: string

  constructor(pointer: string, message: string) {
    super(message)
    this.pointer = pointer
  }
}

export function contradict(pointer: string, message: string): never {
  throw new Contradiction(pointer, message)
}

/** Runs a drawing; a contradiction that nothing resolved refuses the schema. */
export function orRefuse<Made>(draw: () => Made): Made {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error
    return refuse(error.pointer, error.message)
  }
}

/** The units of following one link. */
const stepWork = 0.3

/** Follows references and `allOf`; alternatives stay open. */
export function demandOf(parts: readonly SchemaNode[], work: WorkBudget): Constraints {
  const nodes = new Set<SchemaNode>()
  const choices: Choice[] = []
  const add = (node: SchemaNode): void => {
    work.spend(stepWork, schemaWork)
    if (nodes.has(node)) return
    nodes.add(node)
    if (node.ref !== undefined) add(node.ref)
    for (const part of node.allOf ?? []) add(part)
    if (node.anyOf !== undefined)
      choices.push({ parts: node.anyOf, only: false, pointer: under(node.pointer, 'anyOf') })
    if (node.oneOf !== undefined)
      choices.push({ parts: node.oneOf, only: true, pointer: under(node.pointer, 'oneOf') })
  }
  for (const part of parts) add(part)
  return { nodes: [...nodes], choices }
}
