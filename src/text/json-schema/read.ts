import { caps } from '../../engine/caps.ts'
import { nearest } from '../../engine/did-you-mean.ts'
import { SchemaRefused, type DeclaredSchema } from '../spec.ts'
import { under, type SchemaNode } from './node.ts'
import { isObject } from '../../engine/is-object.ts'
import { type Json, place, refuseSchema, formatValue } from './refuse.ts'
import { honouredKeywords, isAnnotation, nativeKeywords, ScalarReader, words } from './scalars.ts'

/** The maximum depth of nested references, because each uses the call stack. */
const maxLevels = 500

/** A parsed schema. */
export interface ReadSchema {
  root: SchemaNode
  /** All nodes. */
  nodes: readonly SchemaNode[]
  /** Notes on keywords that are ignored, or that the vendor doesn't accept: `"unevaluatedItems" at /items is ignored`. */
  notes: readonly string[]
  /** The size of all patterns. */
  links: number
}

/**
 * Reads a schema of either dialect into linked nodes. Keywords that can't be honoured are ignored and listed.
 * @throws {SchemaRefused} for an invalid schema, an invalid value of a keyword, or a dangling reference.
 */
export function readSchema(declared: DeclaredSchema): ReadSchema {
  const reader = new SchemaReader(declared)
  const root = reader.read(declared.schema, '', 0)
  return { root, nodes: reader.nodes, notes: reader.notes, links: reader.links }
}

/** Keywords of logic. Values are written as if they were absent, except for `not: {}`. */
const ignoredKeywords: ReadonlySet<string> = new Set(
  words('not if dependentRequired dependentSchemas dependencies contains patternProperties'),
)

class SchemaReader {
  readonly nodes: SchemaNode[] = []
  readonly #known = new Map<string, SchemaNode>()
  readonly #schema: unknown
  readonly #dialect: DeclaredSchema['dialect']
  readonly #scalars: ScalarReader
  #levels = 0

  constructor({ dialect, schema }: DeclaredSchema) {
    this.#schema = schema
    this.#dialect = dialect
    this.#scalars = new ScalarReader(dialect)
  }

  get notes(): readonly string[] {
    return this.#scalars.notes
  }

  get links(): number {
    return this.#scalars.links
  }

  /** Reads the node at a pointer, once. */
  read(given: unknown, pointer: string, depth: number): SchemaNode {
    const found = this.#known.get(pointer)
    if (found !== undefined) return found
    if (depth > caps.schemaDepth) throw new SchemaRefused(`The schema is nested deeper than ${caps.schemaDepth} levels at ${place(pointer)}: flatten it.`, pointer) // prettier-ignore
    if (this.#levels > maxLevels) refuseSchema(pointer, `more than ${maxLevels} places lead from one to the next: shorten the chain of references`) // prettier-ignore
    const node = this.#add({ pointer })
    if (typeof given === 'boolean') {
      this.#known.set(pointer, node)
      if (!given) node.never = true
      return node
    }
    if (!isObject(given))
      refuseSchema(pointer, `${formatValue(given)} is not a schema: write an object with a "type"`)
    const raw = withoutNulls(given)
    const whole = raw['nullable'] === true ? this.#nullable(node) : node
    this.#known.set(pointer, whole)
    this.#noteKeywords(raw, pointer)
    if (isNever(raw)) node.never = true
    this.#scalars.readInto(node, raw)
    this.#readArrays(raw, node, depth)
    this.#readObjects(raw, node, depth)
    this.#readLogic(raw, node, depth)
    return whole
  }

  #add(node: SchemaNode): SchemaNode {
    if (this.nodes.length >= caps.schemaPlaces) throw new SchemaRefused(`The schema has more than ${caps.schemaPlaces} places at ${place(node.pointer)}: make it smaller.`, node.pointer) // prettier-ignore
    this.nodes.push(node)
    return node
  }

  /** Accepts null in addition to the schema. */
  #nullable(node: SchemaNode): SchemaNode {
    const none = this.#add({ pointer: under(node.pointer, 'nullable'), types: new Set(['null']) })
    const choice = { parts: [node, none], isOneOf: false, pointer: under(node.pointer, 'nullable') }
    return this.#add({ pointer: node.pointer, choices: [choice] })
  }

  #noteKeywords(raw: Json, pointer: string): void {
    for (const keyword of Object.keys(raw)) {
      if (isAnnotation(keyword) || this.#scalars.isFull) continue
      const name = `"${keyword.slice(0, 60)}"`
      if (ignoredKeywords.has(keyword)) {
        if (!isNever(raw, keyword)) this.#scalars.ignore(pointer, name)
      } else if (!honouredKeywords.has(keyword)) {
        const meant = nearest(keyword, [...honouredKeywords])
        this.#scalars.ignore(pointer, name, meant && `did you mean "${meant}"?`)
      } else if (this.#dialect === 'native' && !nativeKeywords.has(keyword)) {
        const fields = 'responseJsonSchema and parametersJsonSchema'
        this.#scalars.note(
          `${name} at ${place(pointer)} is JSON Schema, which the vendor takes in ${fields} only`,
        )
      }
    }
  }

  #child(raw: Json, keyword: string, node: SchemaNode, depth: number): SchemaNode {
    return this.read(raw[keyword], under(node.pointer, keyword), depth + 1)
  }

  #children(raw: Json, keyword: string, node: SchemaNode, depth: number): SchemaNode[] {
    const [list, at] = [raw[keyword], under(node.pointer, keyword)]
    if (!Array.isArray(list) || list.length === 0) refuseSchema(at, `${formatValue(list)} should be a list of schemas, with at least one`) // prettier-ignore
    return list.map((each, index) => this.read(each, under(at, index), depth + 1))
  }

  #readArrays(raw: Json, node: SchemaNode, depth: number): void {
    if (raw['uniqueItems'] === true) node.uniqueItems = true
    // In draft 4 to 2019-09, a list of `items` is a tuple.
    const tuple = ['prefixItems', 'items'].find((keyword) => Array.isArray(raw[keyword]))
    if (tuple !== undefined) node.prefixItems = this.#children(raw, tuple, node, depth)
    const rest = Array.isArray(raw['items']) ? 'additionalItems' : 'items'
    if (raw[rest] !== undefined) node.items = this.#child(raw, rest, node, depth)
  }

  #readObjects(raw: Json, node: SchemaNode, depth: number): void {
    const at = (keyword: string): string => under(node.pointer, keyword)
    const { properties, required, propertyOrdering: order } = raw
    if (properties !== undefined) {
      if (!isObject(properties))
        refuseSchema(at('properties'), `${formatValue(properties)} should be an object with a schema for each name`) // prettier-ignore
      const read = ([name, each]: [string, unknown]): [string, SchemaNode] => [
        name,
        this.read(each, under(at('properties'), name), depth + 1),
      ]
      node.properties = new Map(Object.entries(properties).map(read))
    }
    // A pattern, which is ignored, may allow names that no property has.
    if (raw['additionalProperties'] !== undefined && raw['patternProperties'] === undefined)
      node.additional = this.#child(raw, 'additionalProperties', node, depth)
    if (raw['propertyNames'] !== undefined)
      node.propertyNames = this.#child(raw, 'propertyNames', node, depth)
    // In drafts 1 to 3, `required` is a flag of the property.
    if (typeof required === 'boolean') this.#scalars.ignore(node.pointer, '"required"', 'list names')
    else if (required !== undefined) node.required = readNames(required, at('required'))
    if (order !== undefined) node.order = readNames(order, at('propertyOrdering'))
  }

  #readLogic(raw: Json, node: SchemaNode, depth: number): void {
    if (raw['allOf'] !== undefined) node.allOf = this.#children(raw, 'allOf', node, depth)
    const choices = ['anyOf', 'oneOf'].filter((keyword) => raw[keyword] !== undefined)
    if (choices.length > 0) {
      node.choices = choices.map((keyword) => ({
        parts: this.#children(raw, keyword, node, depth),
        isOneOf: keyword === 'oneOf',
        pointer: under(node.pointer, keyword),
      }))
    }
    if (raw['$ref'] !== undefined) node.ref = this.#follow(raw['$ref'], under(node.pointer, '$ref'), depth)
  }

  #follow(raw: unknown, pointer: string, depth: number): SchemaNode {
    if (typeof raw !== 'string' || !/^#(?:\/|$)/.test(raw)) {
      refuseSchema(
        pointer,
        `${formatValue(raw)} does not begin with "#/": a reference points into the same schema`,
      )
    }
    let target = this.#schema
    let path = ''
    for (const part of raw.slice(1).split('/').slice(1)) {
      const name = decodePart(part)
      const exists = typeof target === 'object' && target !== null && Object.hasOwn(target, name)
      if (!exists)
        refuseSchema(pointer, `${formatValue(raw)} leads nowhere: there is no "${name}" at ${place(path)}`)
      target = (target as Json)[name]
      path = under(path, name)
    }
    this.#levels++
    const found = this.read(target, path, depth)
    this.#levels--
    return found
  }
}

/** @throws {SchemaRefused} for something other than a list of names. */
function readNames(raw: unknown, pointer: string): string[] {
  if (!Array.isArray(raw) || !raw.every((name) => typeof name === 'string')) {
    refuseSchema(pointer, `${formatValue(raw)} should be a list of property names`)
  }
  return raw
}

/** Whether a schema says `not: {}`: nothing fits. Libraries write it for properties that must be absent. */
function isNever({ not }: Json, keyword = 'not'): boolean {
  return keyword === 'not' && isObject(not) && Object.keys(not).length === 0
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
