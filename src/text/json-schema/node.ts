import { isObject } from '../../engine/is-object.ts'
import type { WorkBudget } from '../../engine/work-budget.ts'
import type { Pattern } from '../patterns/pattern.ts'
import { schemaWork } from './refuse.ts'

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/** Alternatives. At least one must fit; with `isOneOf`, exactly one. */
export interface Choice {
  parts: readonly SchemaNode[]
  isOneOf: boolean
  pointer: string
}

/**
 * One place of a schema, in either dialect. References are links, so a recursive schema is a graph with cycles. Conditions
 * and dependencies are choices: `if` becomes "`if` and `then`, or not `if` but `else`".
 */
export interface SchemaNode {
  /** The JSON pointer to it; empty for the schema itself. */
  readonly pointer: string
  /** Whether no value fits: the schema `false`. */
  never?: boolean
  types?: ReadonlySet<JsonType>
  /** The values of `enum` or `const`. */
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
  /** The schema of properties without one of their own. */
  additional?: SchemaNode
  propertyNames?: SchemaNode
  minProperties?: number
  maxProperties?: number
  /** The order in which properties are written. */
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

/** Whether a set of types includes this one. `number` includes integers. */
export function takesType(types: ReadonlySet<JsonType>, type: JsonType): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

/** A pointer to a member. `/` and `~` in its name are escaped by RFC 6901. */
export function under(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The nodes that apply to the same value: it must fit all or some of them. */
export function sameValueNodes({ ref, allOf = [], choices = [] }: SchemaNode): SchemaNode[] {
  return [...(ref === undefined ? [] : [ref]), ...allOf, ...choices.flatMap(({ parts }) => parts)]
}

/** All nodes that one value must fit, and the choices that are still open. */
export interface Conjunction {
  nodes: readonly SchemaNode[]
  choices: readonly Choice[]
}

/** The work units of following one link. */
const linkWork = 0.3

/** Follows references and `allOf`. Choices stay open. */
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

/** The requirements of a node for a property with this name. */
export function propertyNodes(node: SchemaNode, name: string, work: WorkBudget): readonly SchemaNode[] {
  const declared = node.properties?.get(name)
  if (node.patternProperties === undefined)
    return declared === undefined ? (node.additional === undefined ? [] : [node.additional]) : [declared]
  const matching = node.patternProperties.filter(({ pattern }) => pattern.fits(name, work))
  const nodes = [...(declared === undefined ? [] : [declared]), ...matching.map((each) => each.node)]
  return nodes.length > 0 || node.additional === undefined ? nodes : [node.additional]
}

/** The work units of writing and looking up a character of a key. */
const keyWork = 0.02

/** A text that is equal for equal values only. */
export function keyOf(value: unknown, work: WorkBudget): string {
  const key = typeof value === 'object' ? canonical(value) : (JSON.stringify(value) ?? '')
  work.spend(0.5 + key.length * keyWork, schemaWork)
  return key
}

/** JSON with sorted members, so that equal values give equal texts. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      isObject(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ) ?? ''
  )
}
