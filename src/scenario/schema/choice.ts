import type * as z from 'zod/mini'
import { noteIssue, noteType, type InnerReading, type PlacedValue, type ReadValue } from './misfit.ts'
import {
  definitionOf,
  errorOf,
  isOptional,
  kindOf,
  kindsTaken,
  literalsOf,
  optionMeant,
  runSchema,
  unwrapSchema,
} from './schema-walk.ts'

/** One of the schemas of a choice. */
interface Way {
  readonly option: z.core.$ZodType
  readonly kinds: readonly string[]
  /** The kinds of items, if it is a list. */
  readonly items: readonly string[]
  readonly read: ReadValue
}

const kinds = [
  'string',
  'number',
  'boolean',
  'object',
  'array',
  'null',
  'undefined',
  'function',
  'bigint',
  'symbol',
]

/** The types of schemas that may accept any kind of value. */
const takesAny: ReadonlySet<string> = new Set(['unknown', 'any', 'custom'])

/**
 * One of several kinds of value. Of several objects, the one that is meant explains what is wrong; of several lists, the kind of the
 * first item decides.
 */
export function compileChoice(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const inner = { ...how, around: errorOf(schema) ?? how.around }
  const { options, discriminator } = definitionOf(schema)
  const ways = options!.map((option) => ({
    option,
    kinds: kindsTaken(option),
    items: kindsOfItems(option),
    read: how.compile(option, inner),
  }))
  const fitting = (kind: string) =>
    ways.filter((way) => way.kinds.some((each) => each === kind || takesAny.has(each)))
  const byKind = new Map(kinds.map((kind) => [kind, fitting(kind)] as const))
  const taken = new Set(kindsTaken(schema))
  const expected = taken.size === 1 ? [...taken][0]! : 'union'
  const readObject = compileObjects(schema, byKind.get('object')!, how)
  return (value, holder, key) => {
    const kind = kindOf(value)
    const some = byKind.get(kind)!
    if (some.length === 1) return some[0]!.read(value, holder, key)
    if (some.length === 0) return noteType(expected, { value, holder, key }, schema, how)
    // A request says by a word what it means. Elsewhere any schema may fit.
    const isDecided = kind === 'object' && (how.isRequest === true || discriminator !== undefined)
    if (!isDecided && !(how.isRequest === true && kind === 'array')) {
      const way = some.find(({ option }) => runSchema(option, value).issues.length === 0)
      if (way) return way.read(value, holder, key)
    }
    if (kind === 'object') return readObject(value, holder, key)
    if (kind === 'array') return readList(some, { value, holder, key }, schema, how)
    return refuseWord(some, { value, holder, key }, schema, how)
  }
}

function kindsOfItems(option: z.core.$ZodType): readonly string[] {
  const { element } = definitionOf(unwrapSchema(option))
  return element ? kindsTaken(element) : []
}

/** By the list schemas whose items may be like the first item; if none, by the first schema, which will refuse it. */
function readList(
  lists: readonly Way[],
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: InnerReading,
): unknown {
  const { value, holder, key } = found
  const list = value as readonly unknown[]
  const kind = kindOf(list[0])
  const alike =
    list.length === 0
      ? lists
      : lists.filter(({ items }) => items.some((each) => each === kind || takesAny.has(each)))
  const way =
    alike.length === 0
      ? lists[0]
      : alike.length === 1
        ? alike[0]
        : alike.find(({ option }) => runSchema(option, value).issues.length === 0)
  return way ? way.read(value, holder, key) : noteType('union', found, schema, how)
}

function refuseWord(
  ways: readonly Way[],
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: InnerReading,
): unknown {
  const { value, holder, key } = found
  if (how.isRequest) return noteType('union', found, schema, how)
  if (ways.every(({ option }) => literalsOf(option).length > 0))
    return noteIssue(
      {
        code: 'invalid_value',
        values: ways.flatMap(({ option }) => literalsOf(option)) as string[],
        input: value,
      },
      found,
      schema,
      how,
    )
  const meant = optionMeant(
    ways.map(({ option }) => option),
    value,
  )
  return (ways.find(({ option }) => option === meant) ?? ways[0]!).read(value, holder, key)
}

/**
 * One of several objects. If a literal field such as `type` tells them apart, its value chooses, and without a value the object in which
 * it is optional. Otherwise it is the object that shares most fields.
 */
function compileObjects(schema: z.core.$ZodType, ways: readonly Way[], how: InnerReading): ReadValue {
  const fieldOf = ({ option }: Way, name: string): z.core.$ZodType | undefined =>
    definitionOf(unwrapSchema(option)).shape?.[name]
  const wordsIn = (way: Way, name: string): readonly unknown[] => {
    const field = fieldOf(way, name)
    return field ? literalsOf(field) : []
  }
  const names = ways[0] ? Object.keys(definitionOf(unwrapSchema(ways[0].option)).shape ?? {}) : []
  const differing = names.find((each) => {
    const count = ways.filter((way) => wordsIn(way, each).length > 0).length
    return count > 1 || (count === 1 && ways.every((way) => fieldOf(way, each)))
  })
  const name = definitionOf(schema).discriminator ?? differing
  if (name === undefined) {
    const options = ways.map(({ option }) => option)
    return (value, holder, key) => {
      const meant = optionMeant(options, value) ?? (how.isRequest ? options[0] : undefined)
      const way = ways.find(({ option }) => option === meant)
      if (way) return way.read(value, holder, key)
      const keys = Object.keys(value as object)
      const issue = { code: 'unrecognized_keys', keys, input: value } as z.core.$ZodRawIssue
      return noteIssue(issue, { value, holder, key }, schema, how)
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
    const word = (value as Record<string, unknown>)[name] ?? undefined
    const way = byWord.get(word) ?? other
    if (way) return way.read(value, holder, key)
    const issue = { code: 'invalid_value', values, input: word } as z.core.$ZodRawIssue
    const place = { value: word, holder: { holder, key }, key: name }
    return noteIssue(issue, place, fieldOf(ways[0]!, name)!, { ...how, around: undefined })
  }
}
