import { nearest } from '../../engine/did-you-mean.ts'
import type { WorkBudget } from '../../engine/work-budget.ts'
import { SchemaRefused, type DeclaredSchema } from '../spec.ts'
import { under, type Choice, type SchemaNode } from './node.ts'
import { isObject } from '../../engine/is-object.ts'
import { type Json, place, refuseSchema, schemaWork, formatValue } from './refuse.ts'
import { honouredKeywords, isAnnotation, nativeKeywords, ScalarReader } from './scalars.ts'

export const maxNodes = 10_000
export const maxDepth = 64
/** The maximum depth of nested references, because each uses the call stack. */
const maxLevels = 500

/** The work units for reading and checking one node. */
const nodeWork = 4

/** A parsed schema. */
export interface ReadSchema {
  root: SchemaNode
  /** All nodes. */
  nodes: readonly SchemaNode[]
  /** Notes on keywords that are ignored, or that the vendor doesn't accept: `"unevaluatedItems" at /items is ignored`. */
  notes: readonly string[]
}

/**
 * Reads a schema of either dialect into linked nodes. Keywords that can't be honoured are ignored and listed.
 * @throws {SchemaRefused} for an invalid schema, an invalid value of a keyword, or a dangling reference.
 * @throws {WorkRefused} when the budget runs out.
 */
export function readSchema({ dialect, schema }: DeclaredSchema, work: WorkBudget): ReadSchema {
  const known = new Map<string, SchemaNode>()
  const nodes: SchemaNode[] = []
  const scalars = new ScalarReader(dialect, work)
  let levels = 0

  function add(node: SchemaNode): SchemaNode {
    if (nodes.length >= maxNodes) throw new SchemaRefused(`The schema has more than ${maxNodes} places at ${place(node.pointer)}: make it smaller.`, node.pointer) // prettier-ignore
    nodes.push(node)
    return node
  }

  function read(given: unknown, pointer: string, depth: number): SchemaNode {
    const found = known.get(pointer)
    if (found !== undefined) return found
    if (depth > maxDepth) throw new SchemaRefused(`The schema is nested deeper than ${maxDepth} levels at ${place(pointer)}: flatten it.`, pointer) // prettier-ignore
    work.spend(nodeWork, schemaWork)
    if (levels > maxLevels) refuseSchema(pointer, `more than ${maxLevels} places lead from one to the next: shorten the chain of references`) // prettier-ignore
    const node: SchemaNode = add({ pointer })
    if (typeof given === 'boolean') {
      known.set(pointer, node)
      if (!given) node.never = true
      return node
    }
    if (!isObject(given))
      refuseSchema(pointer, `${formatValue(given)} is not a schema: write an object with a "type"`)
    const raw = withoutNulls(given)
    const whole = raw['nullable'] === true ? nullable(node) : node
    known.set(pointer, whole)
    noteKeywords(raw, pointer)
    scalars.readInto(node, raw)
    readArrays(raw, node, depth)
    readObjects(raw, node, depth)
    readLogic(raw, node, depth)
    return whole
  }

  /** Accepts null in addition to the schema. */
  function nullable(node: SchemaNode): SchemaNode {
    const none = add({ pointer: under(node.pointer, 'nullable'), types: new Set(['null']) })
    return add({ pointer: node.pointer, choices: [anyOf(node.pointer, 'nullable', [node, none])] })
  }

  function noteKeywords(raw: Json, pointer: string): void {
    for (const keyword of Object.keys(raw)) {
      if (isAnnotation(keyword) || scalars.isFull) continue
      const name = `"${keyword.slice(0, 60)}"`
      if (!honouredKeywords.has(keyword)) {
        const meant = nearest(keyword, [...honouredKeywords])
        scalars.ignore(pointer, name, meant && `did you mean "${meant}"?`)
      } else if (dialect === 'native' && !nativeKeywords.has(keyword)) {
        const fields = 'responseJsonSchema and parametersJsonSchema'
        scalars.note(`${name} at ${place(pointer)} is JSON Schema, which the vendor takes in ${fields} only`)
      }
    }
  }

  function child(raw: Json, keyword: string, node: SchemaNode, depth: number): SchemaNode {
    return read(raw[keyword], under(node.pointer, keyword), depth + 1)
  }

  function children(list: unknown, at: string, depth: number): SchemaNode[] {
    if (!Array.isArray(list) || list.length === 0) refuseSchema(at, `${formatValue(list)} should be a list of schemas, with at least one`) // prettier-ignore
    return list.map((each, index) => read(each, under(at, index), depth + 1))
  }

  /** The schemas of an object, by name. */
  function members(raw: unknown, at: string, depth: number): [string, SchemaNode][] {
    if (!isObject(raw))
      refuseSchema(at, `${formatValue(raw)} should be an object with a schema for each name`)
    return Object.entries(raw).map(([name, each]) => [name, read(each, under(at, name), depth + 1)])
  }

  function readArrays(raw: Json, node: SchemaNode, depth: number): void {
    if (raw['uniqueItems'] === true) node.uniqueItems = true
    // In draft 4 to 2019-09, a list of `items` is a tuple.
    const tuple = ['prefixItems', 'items'].find((keyword) => Array.isArray(raw[keyword]))
    if (tuple !== undefined) node.prefixItems = children(raw[tuple], under(node.pointer, tuple), depth)
    const rest = Array.isArray(raw['items']) ? 'additionalItems' : 'items'
    if (raw[rest] !== undefined) node.items = child(raw, rest, node, depth)
    if (raw['contains'] !== undefined) node.contains = child(raw, 'contains', node, depth)
  }

  function readObjects(raw: Json, node: SchemaNode, depth: number): void {
    const at = (keyword: string): string => under(node.pointer, keyword)
    if (raw['properties'] !== undefined) node.properties = new Map(members(raw['properties'], at('properties'), depth)) // prettier-ignore
    if (raw['additionalProperties'] !== undefined) node.additional = child(raw, 'additionalProperties', node, depth) // prettier-ignore
    if (raw['propertyNames'] !== undefined) node.propertyNames = child(raw, 'propertyNames', node, depth)
    if (raw['patternProperties'] !== undefined) {
      node.patternProperties = members(raw['patternProperties'], at('patternProperties'), depth).flatMap(
        ([source, each]) => {
          const pattern = scalars.readPattern(source, each.pointer)
          return pattern === undefined ? [] : [{ pattern, node: each }]
        },
      )
    }
    // In drafts 1 to 3, `required` is a flag of the property.
    if (typeof raw['required'] === 'boolean') scalars.ignore(node.pointer, '"required"', 'list names')
    else if (raw['required'] !== undefined) node.required = scalars.readNames(raw['required'], at('required'))
    if (raw['propertyOrdering'] !== undefined) node.order = scalars.readNames(raw['propertyOrdering'], at('propertyOrdering')) // prettier-ignore
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'])
      if (raw[keyword] !== undefined) readDependencies(raw[keyword], node, at(keyword), depth)
  }

  /** Reads dependencies: if a property is present, they must fit too. */
  function readDependencies(raw: unknown, node: SchemaNode, at: string, depth: number): void {
    if (!isObject(raw))
      refuseSchema(at, `${formatValue(raw)} should be an object with what each property needs`)
    for (const [name, needed] of Object.entries(raw)) {
      const pointer = under(at, name)
      const then = Array.isArray(needed)
        ? add({ pointer, required: scalars.readNames(needed, pointer) })
        : read(needed, pointer, depth + 1)
      const nothing = add({ pointer, never: true })
      const without = add({ pointer, properties: new Map([[name, nothing]]) })
      choose(node, anyOf(at, name, [then, without]))
    }
  }

  function readLogic(raw: Json, node: SchemaNode, depth: number): void {
    const at = (keyword: string): string => under(node.pointer, keyword)
    if (raw['allOf'] !== undefined) node.allOf = children(raw['allOf'], at('allOf'), depth)
    if (raw['anyOf'] !== undefined)
      choose(node, anyOf(node.pointer, 'anyOf', children(raw['anyOf'], at('anyOf'), depth)))
    if (raw['oneOf'] !== undefined)
      choose(node, { parts: children(raw['oneOf'], at('oneOf'), depth), isOneOf: true, pointer: at('oneOf') })
    if (raw['not'] !== undefined) node.not = child(raw, 'not', node, depth)
    if (raw['if'] !== undefined && (raw['then'] !== undefined || raw['else'] !== undefined)) {
      const condition = child(raw, 'if', node, depth)
      const rest = (keyword: string): SchemaNode[] =>
        raw[keyword] === undefined ? [] : [child(raw, keyword, node, depth)]
      const isMet = add({ pointer: at('if'), allOf: [condition, ...rest('then')] })
      const isNot = add({ pointer: at('if'), not: condition, allOf: rest('else') })
      choose(node, anyOf(node.pointer, 'if', [isMet, isNot]))
    }
    if (raw['$ref'] !== undefined) node.ref = follow(raw['$ref'], at('$ref'), depth)
  }

  function follow(raw: unknown, pointer: string, depth: number): SchemaNode {
    if (typeof raw !== 'string' || !/^#(?:\/|$)/.test(raw)) {
      refuseSchema(
        pointer,
        `${formatValue(raw)} does not begin with "#/": a reference points into the same schema`,
      )
    }
    work.spend(nodeWork, schemaWork)
    let target: unknown = schema
    let path = ''
    for (const part of raw.slice(1).split('/').slice(1)) {
      const name = decodePart(part)
      const exists = typeof target === 'object' && target !== null && Object.hasOwn(target, name)
      if (!exists)
        refuseSchema(pointer, `${formatValue(raw)} leads nowhere: there is no "${name}" at ${place(path)}`)
      target = (target as Json)[name]
      path = under(path, name)
    }
    levels++
    const found = read(target, path, depth)
    levels--
    return found
  }

  const root = read(schema, '', 0)
  return { root, nodes, notes: scalars.notes }
}

function anyOf(pointer: string, keyword: string, parts: readonly SchemaNode[]): Choice {
  return { parts, isOneOf: false, pointer: under(pointer, keyword) }
}

function choose(node: SchemaNode, choice: Choice): void {
  node.choices = [...(node.choices ?? []), choice]
}

/** Removes nulls, which serializers write for unset fields. */
function withoutNulls(raw: Json): Json {
  const values = Object.entries(raw)
  return values.some(([, value]) => value === null)
    ? Object.fromEntries(values.filter(([keyword, value]) => value !== null || keyword === 'const'))
    : raw
}

function decodePart(part: string): string {
  let decoded = part
  try {
    decoded = decodeURIComponent(part)
  } catch {
    // A lone percent sign is literal.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~')
}
