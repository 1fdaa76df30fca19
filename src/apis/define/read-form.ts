import * as z from 'zod/mini'
import { isObject } from '../../engine/is-object.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import {
  definitionOf,
  kindOf,
  kindsTaken,
  literalsOf,
  optionMeant,
  unwrapSchema,
} from '../../scenario/schema/schema-walk.ts'
import {
  errorOf,
  refuseIssue,
  refuseType,
  type Compilation,
  type FieldPlace,
  type PlacedValue,
} from './misfit.ts'

/** Reads a value. Its place is only put together for a message. */
type ReadValue = (value: unknown, holder: FieldPlace | undefined, key: string | number) => unknown

const context: z.core.ParseContextInternal = { async: false }

/** Makes the reader of a schema. Zod itself checks all values but objects, lists and choices. */
export function compileReader(schema: z.core.$ZodType, how: Compilation): ReadValue {
  const definition = definitionOf(schema)
  const inside = definition.innerType
  switch (definition.type) {
    case 'optional': {
      const read = compileReader(inside!, how)
      // Null counts as missing, unless the schema accepts only an absent key.
      const takesNull = !schema._zod.traits.has('$ZodExactOptional')
      return (value, holder, key) =>
        value === undefined || (value === null && takesNull) ? undefined : read(value, holder, key)
    }
    case 'nullable': {
      const read = compileReader(inside!, how)
      return (value, holder, key) => (value === null ? null : read(value, holder, key))
    }
    case 'default': {
      const read = compileReader(inside!, how)
      const { defaultValue } = schema._zod.def as z.core.$ZodDefaultDef
      return (value, holder, key) =>
        value === undefined || value === null ? defaultValue : read(value, holder, key)
    }
    case 'catch': {
      const read = compileReader(inside!, { ...how, refuse: () => new Ignored() })
      return (value, holder, key) => {
        try {
          return read(value, holder, key)
        } catch (error) {
          if (error instanceof Ignored) return undefined
          throw error
        }
      }
    }
    case 'lazy': {
      let read: ReadValue | undefined
      return (value, holder, key) =>
        (read ??= compileReader((schema as z.ZodMiniLazy)._zod.innerType, how))(value, holder, key)
    }
    case 'pipe':
      return compilePipe(schema, how)
    case 'transform': {
      const { transform } = schema._zod.def as z.core.$ZodTransformDef
      return (value, holder, key) => {
        const payload = { value, issues: [] } as z.core.ParsePayload
        const result = transform(value, payload as never)
        if (payload.issues.length === 0) return result
        throw refuseIssue(payload.issues[0]!, { value, holder, key }, schema, how)
      }
    }
    case 'object':
      return compileObject(schema, how)
    case 'array':
      return compileList(schema, how)
    case 'union':
      return compileChoice(schema, how)
    default:
      return compileLeaf(schema, how)
  }
}

/** A value that is ignored because it does not fit. */
class Ignored extends Error {}

function compilePipe(schema: z.core.$ZodType, how: Compilation): ReadValue {
  const { in: first, out: second } = schema._zod.def as z.core.$ZodPipeDef
  const [begin, end] = [compileReader(first, how), compileReader(second, how)]
  return (value, holder, key) => end(begin(value, holder, key), holder, key)
}

function compileObject(schema: z.core.$ZodType, how: Compilation): ReadValue {
  const { shape, catchall } = definitionOf(schema)
  const inner = { ...how, around: undefined }
  const fields = Object.entries(shape!).map(([name, each]) => {
    const other = how.takesSnakeCase ? toSnakeCase(name) : name
    return { name, other, mayMiss: isOptional(each), read: compileReader(each, inner) }
  })
  const isChecked = (schema._zod.def.checks ?? []).length > 0
  // Most parts of texts have a single field. For such an object, only this field is looked up.
  const alone = new Map(fields.map((field) => [field.name, [field]]))
  const mayBeAlone = fields.every(({ mayMiss }) => mayMiss)
  return (value, holder, key) => {
    if (!isObject(value)) throw refuseType('object', { value, holder, key }, schema, how)
    const place = { holder, key }
    const result: Record<string, unknown> = catchall ? { ...value } : {}
    const found = mayBeAlone ? alone.get(onlyKey(value)) : undefined
    for (const { name, other, mayMiss, read } of found ?? fields) {
      let given = (value as JsonObject)[name]
      if ((given === undefined || given === null) && other !== name) given = (value as JsonObject)[other]
      if (mayMiss && given === undefined) continue
      const field = read(given, place, name)
      if (field !== undefined || catchall) result[name] = field
    }
    if (isChecked) runChecks(schema, result, { value, holder, key }, how)
    return result
  }
}

/** The name of the only field; empty if there are none or several. */
function onlyKey(value: object): string {
  let only = ''
  for (const key in value) {
    if (only !== '') return ''
    only = key
  }
  return only
}

function compileList(schema: z.core.$ZodType, how: Compilation): ReadValue {
  const read = compileReader(definitionOf(schema).element!, { ...how, around: undefined })
  return (value, holder, key) => {
    if (!Array.isArray(value)) throw refuseType('array', { value, holder, key }, schema, how)
    // The length comes first, because items may be many.
    runChecks(schema, value, { value, holder, key }, how)
    const place = { holder, key }
    return value.map((item: unknown, index) => read(item, place, index))
  }
}

/** One of several kinds of value. Of several lists, the kind of the first item decides. */
function compileChoice(schema: z.core.$ZodType, how: Compilation): ReadValue {
  const inner = { ...how, around: errorOf(schema) ?? how.around }
  const ways = definitionOf(schema).options!.map((option) => ({
    option,
    kinds: kindsTaken(option),
    items: kindsOfItems(option),
    read: compileReader(option, inner),
  }))
  const readObject = compileObjects(
    ways.filter(({ kinds }) => kinds.includes('object')),
    how,
  )
  const fittingKind = (kind: string) =>
    ways.filter(({ kinds }) => kinds.includes(kind) || kinds.includes('unknown'))
  const kinds = ['string', 'number', 'boolean', 'object', 'array', 'null', 'undefined']
  const byKind = new Map(kinds.map((kind) => [kind, fittingKind(kind)] as const))
  const taken = new Set(kindsTaken(schema))
  const expected = taken.size === 1 ? [...taken][0]! : 'union'
  return (value, holder, key) => {
    const kind = kindOf(value)
    const fitting = byKind.get(kind)!
    if (fitting.length === 1) return fitting[0]!.read(value, holder, key)
    if (fitting.length > 1 && kind === 'object') return readObject(value, holder, key)
    const [likely, another] = fitting.length > 1 && kind === 'array' ? fittingFirst(fitting, value) : []
    if (likely && !another) return likely.read(value, holder, key)
    const way = fitting.find(({ option }) => run(option, value).issues.length === 0)
    if (way) return way.read(value, holder, key)
    throw refuseType(expected, { value, holder, key }, schema, how)
  }
}

function kindsOfItems(option: z.core.$ZodType): readonly string[] {
  const { element } = definitionOf(unwrapSchema(option))
  return element ? kindsTaken(element) : []
}

/** The list schemas whose items may be like the first item; if none, the first schema, which will refuse it. */
function fittingFirst<List extends { readonly items: readonly string[] }>(
  lists: readonly List[],
  value: unknown,
): readonly List[] {
  const list = value as readonly unknown[]
  const kind = kindOf(list[0])
  const fitting = lists.filter(({ items }) => items.includes(kind) || items.includes('unknown'))
  return list.length === 0 ? lists : fitting.length === 0 ? lists.slice(0, 1) : fitting
}

interface Way {
  readonly option: z.core.$ZodType
  readonly read: ReadValue
}

/**
 * One of several objects. If a literal field such as `type` tells them apart, its value chooses, and without a value the object in which
 * it is optional. Otherwise it is the object that shares most fields.
 */
function compileObjects(ways: readonly Way[], how: Compilation): ReadValue {
  const fieldOf = ({ option }: Way, name: string): z.core.$ZodType | undefined =>
    definitionOf(unwrapSchema(option)).shape?.[name]
  const wordsIn = (way: Way, name: string): readonly unknown[] => {
    const field = fieldOf(way, name)
    return field ? literalsOf(field) : []
  }
  const names = ways[0] ? Object.keys(definitionOf(unwrapSchema(ways[0].option)).shape ?? {}) : []
  const name = names.find((each) => {
    const count = ways.filter((way) => wordsIn(way, each).length > 0).length
    return count > 1 || (count === 1 && ways.every((way) => fieldOf(way, each)))
  })
  if (name === undefined) {
    const options = ways.map(({ option }) => option)
    return (value, holder, key) => {
      const meant = optionMeant(options, value) ?? options[0]
      return ways.find(({ option }) => option === meant)!.read(value, holder, key)
    }
  }
  const byWord = new Map<unknown, Way>()
  for (const way of ways) {
    for (const word of wordsIn(way, name)) byWord.set(word, way)
    if (isOptional(fieldOf(way, name))) byWord.set(undefined, way)
  }
  const other = ways.find((way) => wordsIn(way, name).length === 0)
  const values = [...byWord.keys()].filter((word) => word !== undefined) as string[]
  return (value, holder, key) => {
    const word = (value as JsonObject)[name] ?? undefined
    const way = byWord.get(word) ?? other
    if (way) return way.read(value, holder, key)
    const issue = { code: 'invalid_value', values, input: word } as const
    const place = { value: word, holder: { holder, key }, key: name }
    throw refuseIssue(issue, place, fieldOf(ways[0]!, name)!, { ...how, around: undefined })
  }
}

function compileLeaf(schema: z.core.$ZodType, how: Compilation): ReadValue {
  const { type } = definitionOf(schema)
  const isChecked = schema._zod.traits.has('$ZodCheck') || (schema._zod.def.checks ?? []).length > 0
  if (type === 'unknown' && !isChecked) return (value) => value
  // Zod takes much longer for these most frequent cases.
  const takesAny = !isChecked && (type === 'string' || type === 'number' || type === 'boolean')
  const isWritten = how.isText === true && (type === 'number' || type === 'boolean')
  return (given, holder, key) => {
    if (takesAny && typeof given === type && given !== Infinity && given !== -Infinity) return given
    const value = isWritten ? parseWritten(given, type, how) : given
    const { value: found, issues } = run(schema, value)
    if (issues.length === 0) return found
    throw refuseIssue(issues[0]!, { value, holder, key }, schema, how)
  }
}

function run(schema: z.core.$ZodType, value: unknown): z.core.ParsePayload {
  return schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload
}

/** A number or boolean that a multipart body or a query has as a text. */
function parseWritten(value: unknown, type: string, { isQuery }: Compilation): unknown {
  if (typeof value !== 'string') return value
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  // A query has numbers in digits, neither `1e1` nor spaces.
  if (isQuery && !/^-?\d+(?:\.\d+)?$/.test(value)) return value
  const number = Number(value)
  return value.trim() !== '' && Number.isFinite(number) ? number : value
}

/** Runs the checks of an object or a list. */
function runChecks(schema: z.core.$ZodType, value: unknown, found: PlacedValue, how: Compilation): void {
  const { checks = [] } = schema._zod.def
  for (const { _zod } of checks) {
    const payload = { value, issues: [] } as z.core.ParsePayload
    void _zod.check(payload as never)
    if (payload.issues.length > 0) throw refuseIssue(payload.issues[0]!, found, schema, how)
  }
}

function isOptional(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && definitionOf(schema).type === 'optional'
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toLowerCase()
}
