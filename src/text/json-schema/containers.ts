import { things } from '../write/phrase-data.ts'
import type { Rng, Words } from '../write/random.ts'
import { keyOf, propertyNodes, under, type SchemaNode } from './node.ts'
import { inventText, singular } from './property-names.ts'
import { contradict, Contradiction } from './refuse.ts'

/** The preferred content of values, as far as the schema allows it. */
export interface InstanceOptions {
  rng: Rng
  words: Words
  /** Values for a property from the prompt, the likeliest first. Those that don't fit are skipped. */
  suggest(name: string): readonly unknown[]
  /** A sentence, or a few words, about the prompt. */
  write(kind: 'sentence' | 'title', rng: Rng): string
  /** Selects the values of an enumeration that the prompt names. */
  choose(values: readonly unknown[]): readonly unknown[]
  /** Which optional properties are written: most of them, those that the prompt mentions, or none. */
  optional: 'most' | 'suggested' | 'none'
  /** The maximum number of places in the value. */
  maxValues: number
}

/** The place of a value. */
export interface ValuePlace {
  /** The name of its property. For an item, the singular of the name of its list. */
  name: string
  /** The path, by which its random draws are keyed. */
  path: string
  depth: number
  /** How many suitable values are already used, if items must differ. */
  taken: number
}

/** Draws the values inside an array or an object. */
export interface ValueWriter {
  readonly options: InstanceOptions
  /** @throws {Contradiction} if no value fits all of them. */
  value(parts: readonly SchemaNode[], at: ValuePlace): unknown
  /** Counts what is considered. @throws {SchemaRefused} if it is too much. */
  count(steps: number, pointer: string): void
  /** Whether values at this depth may be rich. Deeper values are as small as possible. */
  isRich(depth: number): boolean
}

/** How many times an item is drawn until it differs from the others. */
const maxAttempts = 200

/** Draws an array that is valid for all nodes. */
export function drawArray(writer: ValueWriter, nodes: readonly SchemaNode[], at: ValuePlace): unknown[] {
  const { rng, words, suggest } = writer.options
  const { pointer } = nodes[0]!
  const tuple = Math.max(0, ...nodes.map(({ prefixItems = [] }) => prefixItems.length))
  const closed = nodes.flatMap(({ items, prefixItems = [] }) => (items?.never === true ? [prefixItems.length] : [])) // prettier-ignore
  const max = Math.min(...nodes.map(({ maxItems = Infinity }) => maxItems), ...closed)
  const min = Math.max(0, ...nodes.map(({ minItems = 0 }) => minItems))
  if (max < min) contradict(pointer, 'fewer items are allowed than are required')
  const name = singular(at.name)
  const some = tuple > 0 ? tuple : 1 + rng.integer(3, `items${at.path}`)
  const wanted = Math.max(min, Math.min(suggest(name).length, 10), some)
  const count = Math.min(max, writer.isRich(at.depth) ? wanted : min)
  const isUnique = nodes.some(({ uniqueItems }) => uniqueItems === true)
  const seen = new Set<string>()

  function item(index: number): unknown {
    const parts = nodes.flatMap((node) => node.prefixItems?.[index] ?? node.items ?? [])
    for (let attempt = 0; attempt < (isUnique ? maxAttempts : 1); attempt++) {
      const path = `${at.path}/${index}${attempt === 0 ? '' : `~${attempt}`}`
      const place = { name, path, depth: at.depth + 1, taken: index + attempt }
      const value = parts.length === 0 ? inventText(name, rng.of(path), words) : writer.value(parts, place)
      const key = isUnique ? keyOf(value) : ''
      if (isUnique && seen.has(key)) continue
      seen.add(key)
      return value
    }
    return contradict(pointer, 'its items must differ, but too few different ones were found')
  }

  const list: unknown[] = []
  for (let index = 0; index < count; index++) {
    try {
      list.push(item(index))
    } catch (error) {
      if (!(error instanceof Contradiction) || index < min) throw error
      break
    }
  }
  return list
}

/** Draws an object that is valid for all nodes. */
export function drawObject(
  writer: ValueWriter,
  nodes: readonly SchemaNode[],
  at: ValuePlace,
): Record<string, unknown> {
  const { optional, rng, suggest, choose } = writer.options
  const required = new Set(nodes.flatMap((node) => node.required ?? []))
  const max = Math.min(...nodes.map(({ maxProperties = Infinity }) => maxProperties))
  const min = Math.max(0, ...nodes.map(({ minProperties = 0 }) => minProperties))
  const isRich = writer.isRich(at.depth)
  const object = new Map<string, unknown>()

  function property(name: string): unknown {
    const path = under(at.path, name)
    const parts = nodes.flatMap((node) => propertyNodes(node, name))
    return writer.value(parts.length > 0 ? parts : [{ pointer: path }], { name, path, depth: at.depth + 1, taken: 0 }) // prettier-ignore
  }

  function addIfPossible(name: string): void {
    if (object.has(name)) return
    try {
      object.set(name, property(name))
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error
    }
  }

  function isExpected(name: string): boolean {
    if (!isRich) return false
    if (optional === 'most') return rng.unit(`optional${at.path}/${name}`) < 0.8
    const values = nodes.flatMap((node) => node.properties?.get(name)?.values ?? [])
    return suggest(name).length > 0 || choose(values).length > 0
  }

  /** Invents a name for a further property: one that `propertyNames` allows, or any name. */
  function inventName(index: number): string {
    const part = rng.of(`name${at.path}/${index}`)
    const rules = nodes.flatMap(({ propertyNames }) => propertyNames ?? [])
    if (rules.length > 0) return String(writer.value(rules, { name: '', path: `${at.path}/${index}~name`, depth: 1, taken: 0 })) // prettier-ignore
    return `${part.pick(things, 'thing')}${index < 10 ? '' : index}`
  }

  const declared = [...new Set(nodes.flatMap((node) => [...(node.properties?.keys() ?? [])]))]
  writer.count((required.size + declared.length) * nodes.length * 0.2, nodes[0]!.pointer)
  for (const name of required) object.set(name, property(name))
  for (const name of declared) {
    if (!required.has(name) && object.size < max && (object.size < min || isExpected(name)))
      addIfPossible(name)
  }
  const isRecord = nodes.some(({ additional }) => additional !== undefined && additional.never !== true)
  const expected = isRecord && declared.length === 0 && isRich && max >= 2 ? Math.max(min, 2) : min
  for (let more = 0; object.size < expected && more < min + 20; more++) addIfPossible(inventName(more))
  if (object.size < min) contradict(nodes[0]!.pointer, `fewer than ${min} properties are possible`)
  const order = [...nodes.flatMap((node) => node.order ?? []), ...declared, ...object.keys()]
  return Object.fromEntries(
    [...new Set(order)].filter((name) => object.has(name)).map((name) => [name, object.get(name)]),
  )
}
