import type { WorkBudget } from '../../engine/work-budget.ts'
import type { Pattern } from './pattern.ts'
import { schemaWork } from './schema-work.ts'

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/**
 * One place of a schema, checked and in one dialect. References are links, so a schema that contains itself is a
 * graph with circles in it.
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
  anyOf?: readonly SchemaNode[]
  oneOf?: readonly SchemaNode[]
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

/** Whether a node says something by way of other nodes, of the same value. */
export function isCombined({ ref, allOf, anyOf, oneOf }: SchemaNode): boolean {
  return ref !== undefined || allOf !== undefined || anyOf !== undefined || oneOf !== undefined
}

/** A text that is the same for equal values, and for those only. */
export function keyOf(value: unknown, work: WorkBudget): string {
  const key = typeof value === 'object' ? canonical(value) : (JSON.stringify(value) ?? '')
  work.spend(0.5 + key.length * keyWork, schemaWork)
  return key
}

/** The units of writing and looking up a character of a key. */
const keyWork = 0.02

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
