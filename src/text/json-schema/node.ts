import { isObject } from '../../engine/is-object.ts'
import type { Pattern } from '../patterns/pattern.ts'

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/** Alternatives. At least one must fit; with `isOneOf`, exactly one. */
export interface Choice {
  parts: readonly SchemaNode[]
  isOneOf: boolean
  pointer: string
}

/**
 * One place of a schema, in either dialect. References are links, so a recursive schema is a graph with cycles.
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
  properties?: ReadonlyMap<string, SchemaNode>
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

/** Follows references and `allOf`. Choices stay open. */
export function conjoin(parts: readonly SchemaNode[]): Conjunction {
  const nodes = new Set<SchemaNode>()
  const add = (node: SchemaNode): void => {
    if (nodes.has(node)) return
    nodes.add(node)
    if (node.ref !== undefined) add(node.ref)
    for (const part of node.allOf ?? []) add(part)
  }
  for (const part of parts) add(part)
  return { nodes: [...nodes], choices: [...nodes].flatMap(({ choices = [] }) => choices) }
}

/** The requirement of a node for a property with this name, if it has one. */
export function propertyNodes({ properties, additional }: SchemaNode, name: string): readonly SchemaNode[] {
  const node = properties?.get(name) ?? additional
  return node === undefined ? [] : [node]
}

/** A text that is equal for equal values only. */
export function keyOf(value: unknown): string {
  const key = typeof value === 'object' ? canonical(value) : (JSON.stringify(value) ?? '')
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
