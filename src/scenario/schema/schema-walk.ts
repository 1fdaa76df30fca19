import type * as z from 'zod/mini'

/** The parts of a schema's definition that are used here. */
interface Definition {
  readonly type: string
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly element?: z.core.$ZodType
  readonly items?: readonly z.core.$ZodType[]
  readonly valueType?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly discriminator?: string
  readonly values?: readonly unknown[]
  readonly entries?: Readonly<Record<string, string | number>>
  /** The schema of all other keys, on objects that refuse or accept them. */
  readonly catchall?: z.core.$ZodType
  readonly keyType?: z.core.$ZodType
  readonly out?: z.core.$ZodType
  readonly defaultValue?: unknown
  readonly transform?: (value: unknown, payload: z.core.ParsePayload) => unknown
  readonly checks?: readonly z.core.$ZodCheck<never>[]
  readonly error?: z.core.$ZodErrorMap
}

/** A schema without its wrappers: optional, lazy, pipe. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType, in: input } = definitionOf(schema)
  if (type === 'lazy') return unwrapSchema(innerOf(schema))
  if (type === 'pipe') return unwrapSchema(input!)
  return innerType ? unwrapSchema(innerType) : schema
}

/** The schema in a lazy one. */
export function innerOf(schema: z.core.$ZodType): z.core.$ZodType {
  return (schema as z.ZodMiniLazy)._zod.innerType
}

/** The sentence of a schema. */
export function errorOf(schema: z.core.$ZodType): z.core.$ZodErrorMap | undefined {
  return definitionOf(schema).error
}

const context: z.core.ParseContextInternal = { async: false }

/** Reads a value as zod does. Its issues have no words yet. */
export function runSchema(schema: z.core.$ZodType, value: unknown): z.core.ParsePayload {
  return schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload
}

export function definitionOf(schema: z.core.$ZodType): Definition {
  return schema._zod.def as unknown as Definition
}

/** The branches of a union. */
export function optionsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] | undefined {
  return definitionOf(unwrapSchema(schema)).options
}

/** The keys of an object schema; undefined for all others. */
export function keysOf(schema: z.core.$ZodType): string[] | undefined {
  const { shape } = definitionOf(unwrapSchema(schema))
  return shape && Object.keys(shape)
}

/**
 * Finds the first key of a value that a `z.object` does not have, at any depth. Skips strict and loose objects, since
 * parsing checks those.
 */
export function findUnknownKey(
  schema: z.core.$ZodType,
  value: unknown,
): { key: string; known: readonly string[] } | undefined {
  const { shape, catchall } = definitionOf(unwrapSchema(schema))
  const isPlain = kindOf(value) === 'object' && Object.getPrototypeOf(value) === Object.prototype
  if (!shape || catchall || !isPlain) return undefined
  for (const [key, inside] of Object.entries(value as object)) {
    if (!Object.hasOwn(shape, key)) return { key, known: Object.keys(shape) }
    const unknown = findUnknownKey(shape[key]!, inside)
    if (unknown) return unknown
  }
  return undefined
}

export function isOptional(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && definitionOf(schema).type === 'optional'
}

/** The literal values that a schema accepts; undefined if it also accepts others. */
export function literalsOf(schema: z.core.$ZodType): unknown[] {
  const { values, entries, options } = definitionOf(unwrapSchema(schema))
  if (options) return options.flatMap(literalsOf)
  return [...(values ?? []), ...Object.values(entries ?? {})]
}

/** The kinds of value that a schema accepts, in the words of `kindOf`. */
export function kindsTaken(schema: z.core.$ZodType): string[] {
  const { type, options, values, entries } = definitionOf(unwrapSchema(schema))
  if (options) return options.flatMap(kindsTaken)
  if (values || entries) return literalsOf(schema).map(kindOf)
  if (type === 'record') return ['object']
  if (type === 'tuple') return ['array']
  return [type]
}

/** The kind of a value, in the words of schemas. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

/** The value at a place within a value; undefined if there is none. */
export function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>(
    (at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  )
}

/**
 * The schema of a place within a value.
 * @param value selects the branches of unions.
 * @returns undefined if the schema does not describe the place.
 */
export function schemaAt(
  schema: z.core.$ZodType,
  value: unknown,
  place: readonly PropertyKey[],
): z.core.$ZodType | undefined {
  let here: z.core.$ZodType | undefined = schema
  let at = value
  for (const step of place) {
    here = here && inner(here, at, step)
    at = (at as Record<PropertyKey, unknown> | null | undefined)?.[step]
  }
  return here
}

function inner(schema: z.core.$ZodType, value: unknown, step: PropertyKey): z.core.$ZodType | undefined {
  const { shape, element, items, valueType, options } = definitionOf(unwrapSchema(schema))
  if (options) {
    const meant = optionMeant(options, value)
    return meant && inner(meant, value, step)
  }
  if (shape) return Object.hasOwn(shape, step) ? shape[step as string] : undefined
  return items?.[Number(step)] ?? element ?? valueType
}

/**
 * The branch of a union that a value was probably meant for. It accepts the kind of the value. For objects, it is the
 * branch with most of the value's keys.
 *
 * @returns undefined if none accepts its kind, or none has any of its keys.
 */
export function optionMeant(
  options: readonly z.core.$ZodType[],
  value: unknown,
): z.core.$ZodType | undefined {
  const ranked = options
    .map((option) => ({ option, likeness: likeness(option, value) }))
    .toSorted((one, other) => other.likeness - one.likeness)
  return ranked[0] && ranked[0].likeness > 0 ? ranked[0].option : undefined
}

function likeness(option: z.core.$ZodType, value: unknown): number {
  const { options, shape, type } = definitionOf(unwrapSchema(option))
  if (options) return Math.max(...options.map((each) => likeness(each, value)))
  if (!kindsTaken(option).includes(kindOf(value))) return type === 'unknown' ? 0.1 : 0
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 1
  if (!shape) return 0.5
  const keys = Object.keys(value)
  const known = keys.filter((key) => Object.hasOwn(shape, key))
  // The discriminator counts more than all other keys.
  const matching = known.filter((key) =>
    literalsOf(shape[key]!).includes((value as Record<string, unknown>)[key]),
  )
  const needed = known.filter((key) => definitionOf(shape[key]!).type !== 'optional')
  return known.length + 10 * needed.length + 100 * matching.length
}

/** Whether a value that fits a schema can have a field at a path. `*` is each entry of a list or an object. */
export function hasField(schema: z.core.$ZodType, [step, ...rest]: readonly (string | number)[]): boolean {
  if (step === undefined) return true
  const { type, shape, catchall, element, items, valueType, options } = definitionOf(unwrapSchema(schema))
  if (options) return options.some((option) => hasField(option, [step, ...rest]))
  if (type === 'any' || type === 'unknown') return true
  if (shape) {
    if (step === '*') return Object.values(shape).some((each) => hasField(each, rest))
    const own = Object.hasOwn(shape, step) ? shape[step] : undefined
    return own ? hasField(own, rest) : catchall !== undefined && definitionOf(catchall).type !== 'never'
  }
  const isEntry = step === '*' || /^\d+$/.test(String(step))
  if (element) return isEntry && hasField(element, rest)
  if (items) return isEntry && items.some((each) => hasField(each, rest))
  return valueType !== undefined && hasField(valueType, rest)
}
