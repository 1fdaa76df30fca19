import type { WorkBudget } from '../../engine/work-budget.ts'
import type { Pattern } from '../patterns/pattern.ts'
import { schemaWork } from './refuse.ts'

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/** Alternatives of which one must fit, or with `isOneOf`, exactly one. */
export interface Choice {
  parts: readonly SchemaNode[]
  isOneOf: boolean
  pointer: string
}

/**
 * One place of a schema, in one dialect. References are links, so a schema that contains itself is a graph with circles
 * in it. Conditions and dependencies are choices too: `if` is "it and `then`, or neither it nor anything but `else`".
 */
export interface SchemaNode {
  /** JSON pointer to it, empty for the schema itself. */
  readonly pointer: string
  /** The schema `false`: nothing fits. */
  never?: boolean
  types?: ReadonlySet<JsonType>
  /** From `enum` or `const`. */
  values?: readonly unknown[]
  /** The same values, each as canonical JSON. */
  valueKeys?: ReadonlySet<string>
  ref?: SchemaNode
  allOf?: readonly SchemaNode[]
  choices?: readonly Choice[]
  not?: SchemaNode
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: Pattern
  format?: string
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  prefixItems?: readonly SchemaNode[]
  items?: SchemaNode
  contains?: SchemaNode
  minContains?: number
  maxContains?: number
  properties?: ReadonlyMap<string, SchemaNode>
  patternProperties?: readonly { readonly pattern: Pattern; readonly node: SchemaNode }[]
  required?: readonly string[]
  /** For properties without a schema of their own. */
  additional?: SchemaNode
  propertyNames?: SchemaNode
  minProperties?: number
  maxProperties?: number
  /** The order in which an object's properties are written. */
  order?: readonly string[]
}

export const jsonTypes: readonly JsonType[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
]

/** The type of a JSON value; a whole number is an `integer`. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as 'string' | 'boolean'
  return 'object'
}

/** Whether a set of types takes this one: `number` takes an integer too. */
export function takesType(types: ReadonlySet<JsonType>, type: JsonType): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

/** A pointer to a member: `/` and `~` in its name are written as RFC 6901 says. */
export function under(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The nodes that concern the same value, and that it must fit, all or some of them. */
export function sameValueNodes({ ref, allOf = [], choices = [] }: SchemaNode): SchemaNode[] {
  return [...(ref === undefined ? [] : [ref]), ...allOf, ...choices.flatMap(({ parts }) => parts)]
}

/** All nodes that one value must fit, and the choices that are still open. */
export interface Conjunction {
  nodes: readonly SchemaNode[]
  choices: readonly Choice[]
}

/** The units of following one link. */
const linkWork = 0.3

/** Follows references and `allOf`; choices stay open. */
export function conjoin(parts: readonly SchemaNode[], work: WorkBudget): Conjunction {
  const nodes = new Set<SchemaNode>()
  const add = (node: SchemaNode): void => {
    work.spend(linkWork, schemaWork)
    if (nodes.has(node)) return
    nodes.add(node)
    if (node.ref !== undefined) add(node.ref)
    for (const part of node.allOf ?? []) add(part)
  }
  for (const part of parts) add(part)
  return { nodes: [...nodes], choices: [...nodes].flatMap(({ choices = [] }) => choices) }
}

/** What a node requires of the property of some name. */
export function propertyNodes(node: SchemaNode, name: string, work: WorkBudget): readonly SchemaNode[] {
  const declared = node.properties?.get(name)
  if (node.patternProperties === undefined)
    return declared === undefined ? (node.additional === undefined ? [] : [node.additional]) : [declared]
  const matching = node.patternProperties.filter(({ pattern }) => pattern.fits(name, work))
  const nodes = [...(declared === undefined ? [] : [declared]), ...matching.map((each) => each.node)]
  return nodes.length > 0 || node.additional === undefined ? nodes : [node.additional]
}

/** The units of writing and looking up a character of a key. */
const keyWork = 0.02

/** A text that is the same for equal values, and for those only. */
export function keyOf(value: unknown, work: WorkBudget): string {
  const key = typeof value === 'object' ? canonical(value) : (JSON.stringify(value) ?? '')
  work.spend(0.5 + key.length * keyWork, schemaWork)
  return key
}

/** JSON with the members of objects in one order, so that equal values are equal texts. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ) ?? ''
  )
}
