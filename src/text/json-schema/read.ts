import type { WorkBudget } from '../../engine/work-budget.ts'
import { nearest } from '../../engine/did-you-mean.ts'
import { SchemaRefused, type DeclaredSchema } from '../spec.ts'
import { knownFormats } from './formats.ts'
import { jsonTypes, keyOf, under, type JsonType, type SchemaNode } from './node.ts'
import { schemaWork } from './schema-work.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { PatternRefused } from './pattern-parse.ts'

type Json = Readonly<Record<string, unknown>>
type Writable = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] }

export const maxNodes = 10_000
export const maxPatterns = 50
const maxValues = 5_000
export const deepest = 64

/** References that are followed one within the other: each takes a part of the call stack. */
const maxLevels = 500

/** The units of a name in a list of names. */
const nameWork = 0.5

/** The units of reading and checking one place of a schema. */
const nodeWork = 4

const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

const shared =
  'title description default example examples type format enum items properties required anyOf pattern'
const bounds = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']

/** @assumed §2.6 response schemas are not shown; the vendor's Schema type, wire §8.2. */
const nativeKeywords = new Set([
  ...shared.split(' '),
  ...bounds,
  'minimum',
  'maximum',
  'nullable',
  'propertyOrdering',
])

/** @assumed §4.9 structured output is not shown; what the two vendors document of JSON Schema, wire §8.2, §9.1. */
const jsonSchemaKeywords = new Set([
  ...shared.split(' '),
  ...bounds,
  ...limits,
  ...'const prefixItems additionalProperties propertyOrdering propertyNames oneOf allOf uniqueItems'.split(
    ' ',
  ),
  ...'$ref $defs definitions $schema $id $comment deprecated readOnly writeOnly'.split(' '),
])

/** A schema that was read: its root and every node that was met. */
export interface ReadSchema {
  root: SchemaNode
  nodes: readonly SchemaNode[]
}

/**
 * Reads a schema of either dialect into linked nodes.
 * @throws {SchemaRefused} for a keyword outside the documented subset, a value that a keyword doesn't take, or a
 * reference that leads nowhere.
 * @throws {WorkRefused} when the budget runs out.
 */
export function readSchema({ dialect, schema }: DeclaredSchema, work: WorkBudget): ReadSchema {
  const nodes = new Map<string, SchemaNode>()
  const patterns = new Map<string, Pattern>()
  let values = 0
  let levels = 0
  const keywords = dialect === 'native' ? nativeKeywords : jsonSchemaKeywords

  function read(raw: unknown, pointer: string, depth: number): SchemaNode {
    const known = nodes.get(pointer)
    if (known !== undefined) return known
    if (depth > deepest) throw new SchemaRefused(`The schema is nested deeper than ${deepest} levels at ${place(pointer)}: flatten it.`, pointer) // prettier-ignore
    if (nodes.size >= maxNodes) throw new SchemaRefused(`The schema has more than ${maxNodes} places at ${place(pointer)}: make it smaller.`, pointer) // prettier-ignore
    work.spend(nodeWork, schemaWork)
    if (levels > maxLevels) refuse(pointer, `more than ${maxLevels} places lead from one to the next: shorten the chain of references`) // prettier-ignore
    const node: Writable = { pointer }
    nodes.set(pointer, node)
    if (typeof raw === 'boolean' && dialect === 'json-schema') {
      if (!raw) node.never = true
      return node
    }
    if (!isObject(raw)) refuse(pointer, `${show(raw)} is not a schema: write an object with a "type"`)
    checkKeywords(raw, pointer)
    const child = (keyword: string): SchemaNode => read(raw[keyword], under(pointer, keyword), depth + 1)
    const children = (keyword: string): SchemaNode[] => {
      const list = raw[keyword]
      const at = under(pointer, keyword)
      if (!Array.isArray(list) || list.length === 0) refuse(at, `${show(list)} should be a list of schemas, with at least one`) // prettier-ignore
      return list.map((each, index) => read(each, under(at, index), depth + 1))
    }

    readTypes(raw, node)
    readValues(raw, node)
    for (const keyword of bounds) {
      if (raw[keyword] !== undefined) assign(node, keyword, readCount(raw[keyword], under(pointer, keyword)))
    }
    for (const keyword of limits) {
      const value = raw[keyword]
      if (value === undefined) continue
      const at = under(pointer, keyword)
      if (typeof value !== 'number' || !Number.isFinite(value))
        refuse(at, `${show(value)} should be a number`)
      if (keyword === 'multipleOf' && value <= 0) refuse(at, `${show(value)} should be a number above 0`)
      assign(node, keyword, value)
    }
    readText(raw, node)
    if (raw['uniqueItems'] === true) node.uniqueItems = true
    if (raw['items'] !== undefined) node.items = child('items')
    if (raw['prefixItems'] !== undefined) node.prefixItems = children('prefixItems')
    if (raw['propertyNames'] !== undefined) node.propertyNames = child('propertyNames')
    if (raw['additionalProperties'] !== undefined) node.additional = child('additionalProperties')
    if (raw['properties'] !== undefined) node.properties = readProperties(raw['properties'], under(pointer, 'properties'), depth) // prettier-ignore
    node.required =
      raw['required'] === undefined ? [] : readNames(raw['required'], under(pointer, 'required'))
    if (raw['propertyOrdering'] !== undefined) node.order = readNames(raw['propertyOrdering'], under(pointer, 'propertyOrdering')) // prettier-ignore
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      if (raw[keyword] !== undefined) node[keyword] = children(keyword)
    }
    if (raw['$ref'] !== undefined) node.ref = follow(raw['$ref'], under(pointer, '$ref'), depth)
    return raw['nullable'] === true ? orNull(node) : node
  }

  /** `nullable` says that null fits, whatever else the schema asks for. */
  function orNull(node: Writable): SchemaNode {
    const either: SchemaNode = {
      pointer: node.pointer,
      anyOf: [node, { pointer: under(node.pointer, 'nullable'), types: new Set(['null']) }],
    }
    nodes.set(node.pointer, either)
    nodes.set(`${node.pointer} without null`, node)
    return either
  }

  function checkKeywords(raw: Json, pointer: string): void {
    for (const keyword of Object.keys(raw)) {
      if (keywords.has(keyword)) continue
      const other = dialect === 'native' && jsonSchemaKeywords.has(keyword)
      const meant = nearest(keyword, [...keywords])
      const advice = other
        ? 'it belongs to JSON Schema, which has a field of its own (responseJsonSchema, parametersJsonSchema)'
        : `remove it${meant === undefined ? '' : ` or write "${meant}"`}`
      refuse(under(pointer, keyword), `the keyword "${keyword}" is not in the documented subset: ${advice}`)
    }
  }

  function readTypes(raw: Json, node: Writable): void {
    const at = under(node.pointer, 'type')
    if (raw['type'] === undefined) return
    const list = Array.isArray(raw['type']) && dialect === 'json-schema' ? raw['type'] : [raw['type']]
    if (list.length === 0) refuse(at, 'the list of types is empty, so nothing can fit')
    node.types = new Set(
      list.map((each): JsonType => {
        const type = typeof each === 'string' && dialect === 'native' ? each.toLowerCase() : each
        const found = jsonTypes.find((known) => known === type)
        return found ?? refuse(at, `${show(each)} is not a type: use one of ${jsonTypes.join(', ')}`)
      }),
    )
  }

  function readValues(raw: Json, node: Writable): void {
    if (raw['enum'] !== undefined) {
      const at = under(node.pointer, 'enum')
      if (!Array.isArray(raw['enum'])) refuse(at, `${show(raw['enum'])} should be a list of values`)
      if (raw['enum'].length === 0) refuse(at, 'the list of values is empty, so nothing can fit')
      values += raw['enum'].length
      if (values > maxValues) refuse(at, `the schema enumerates more than ${maxValues} values: remove some`)
      node.values = raw['enum']
    }
    if ('const' in raw) node.values = [raw['const']]
    if (node.values !== undefined) node.valueKeys = new Set(node.values.map((value) => keyOf(value, work)))
  }

  function readText(raw: Json, node: Writable): void {
    const { pattern, format } = raw
    if (pattern !== undefined) {
      const at = under(node.pointer, 'pattern')
      if (typeof pattern !== 'string') refuse(at, `${show(pattern)} should be a regular expression as a text`)
      node.pattern = readPattern(pattern, at)
    }
    if (format === undefined) return
    const at = under(node.pointer, 'format')
    if (typeof format !== 'string') refuse(at, `${show(format)} should be a text`)
    if (knownFormats.includes(format)) node.format = format
    // The native dialect takes any format and heeds the few it knows.
    else if (dialect === 'json-schema') refuse(at, `${show(format)} is not a format that greenroom knows: use one of ${knownFormats.join(', ')}`) // prettier-ignore
  }

  function readPattern(source: string, pointer: string): Pattern {
    const known = patterns.get(source)
    if (known !== undefined) return known
    if (patterns.size >= maxPatterns)
      refuse(pointer, `the schema has more than ${maxPatterns} patterns: remove some`)
    try {
      const pattern = compilePattern(source, work)
      patterns.set(source, pattern)
      return pattern
    } catch (error) {
      if (!(error instanceof PatternRefused)) throw error
      refuse(pointer, `the pattern ${show(source)} can't be written from: ${error.message}`)
    }
  }

  /** The native dialect writes its counts as texts, because 64-bit numbers are texts in its JSON. */
  function readCount(value: unknown, pointer: string): number {
    const isText = typeof value === 'string' && /^\d{1,15}$/.test(value) && dialect === 'native'
    const count = isText ? Number(value) : value
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
      refuse(pointer, `${show(value)} should be a whole number from 0`)
    }
    return count
  }

  function readProperties(raw: unknown, pointer: string, depth: number): ReadonlyMap<string, SchemaNode> {
    if (!isObject(raw)) refuse(pointer, `${show(raw)} should be an object with a schema for each property`)
    return new Map(
      Object.entries(raw).map(([name, each]) => [name, read(each, under(pointer, name), depth + 1)]),
    )
  }

  function readNames(raw: unknown, pointer: string): string[] {
    if (!Array.isArray(raw) || !raw.every((name) => typeof name === 'string')) {
      refuse(pointer, `${show(raw)} should be a list of property names`)
    }
    work.spend(raw.length * nameWork, schemaWork)
    return raw
  }

  function follow(raw: unknown, pointer: string, depth: number): SchemaNode {
    if (typeof raw !== 'string' || !/^#(?:\/|$)/.test(raw)) {
      refuse(pointer, `${show(raw)} does not begin with "#/": a reference points into the same schema`)
    }
    work.spend(nodeWork, schemaWork)
    let target: unknown = schema
    let path = ''
    for (const part of raw.slice(1).split('/').slice(1)) {
      const name = decodePart(part)
      const isThere = typeof target === 'object' && target !== null && Object.hasOwn(target, name)
      if (!isThere) refuse(pointer, `${show(raw)} leads nowhere: there is no "${name}" at ${place(path)}`)
      target = (target as Json)[name]
      path = under(path, name)
    }
    levels++
    const found = read(target, path, depth)
    levels--
    return found
  }

  const root = read(schema, '', 0)
  return { root, nodes: [...nodes.values()] }
}

function assign(node: Writable, keyword: string, value: number): void {
  Object.assign(node, { [keyword]: value })
}

function decodePart(part: string): string {
  let decoded = part
  try {
    decoded = decodeURIComponent(part)
  } catch {
    // A lone percent sign stands for itself.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~')
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How a pointer is named in a message. */
export function place(pointer: string): string {
  return pointer === '' ? 'the root' : pointer.length > 300 ? `${pointer.slice(0, 300)}…` : pointer
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

export function refuse(pointer: string, message: string): never {
  throw new SchemaRefused(`The schema is refused at ${place(pointer)}: ${message}.`, pointer)
}
