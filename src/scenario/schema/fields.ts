import * as z from 'zod/mini'

/**
 * An optional key, with its description for editors and docs.
 *
 * @param description one or two sentences, with the default if there is one.
 * @param examples values in the syntax of a file.
 */
export function may<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  ...examples: readonly unknown[]
): z.ZodMiniOptional<Schema> {
  const optional = z.optional(schema)
  z.globalRegistry.add(optional, hover(description, examples))
  return optional
}

/** An optional key whose description names the value that it has if it is missing. */
export function mayDefault<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  value: z.output<Schema> & (string | number | boolean),
  ...examples: readonly unknown[]
): z.ZodMiniOptional<Schema> {
  return may(schema, `${description} Default ${value}.`, ...(examples.length === 0 ? [value] : examples))
}

/** A required key, with its description for editors and docs. */
export function must<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  ...examples: readonly unknown[]
): Schema {
  // The JSON Schema refers to a named schema by its name, but each key has a description of its own.
  const described = schema.clone(schema.def as never, { parent: true })
  z.globalRegistry.add(described, hover(description, examples))
  return described as Schema
}

/** Names a schema, so that the JSON Schema defines it once under this name. */
export function named<Schema extends z.ZodMiniType>(
  id: string,
  schema: Schema,
  description: string,
  ...examples: readonly unknown[]
): Schema {
  // Keeps a pattern that was registered before.
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id, ...hover(description, examples) })
  return schema
}

/** What the program knows of schemas, and JSON Schemas don't show. */
const facts = z.registry<{
  isFlag?: true
  callsOut?: true
  profiles?: Readonly<Record<string, unknown>>
}>()

/** Makes a key also a flag of commands: `cacheDir` becomes `--cache-dir`, with the description of the key. */
export function flag<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  facts.add(schema, { isFlag: true })
  return schema
}

/** Marks a key that makes a simulator send requests itself. */
export function callsOut<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  facts.add(schema, { callsOut: true })
  return schema
}

/**
 * A behaviour that differs between gateways, as a key of `quirks`.
 *
 * @param values the first is the default.
 * @param profiles its values in named sets of quirks, if they differ from the default.
 */
export function quirk<const Values extends readonly (string | number)[]>(
  values: Values,
  description: string,
  profiles: Readonly<Record<string, Values[number]>> = {},
): z.ZodMiniOptional<z.ZodMiniLiteral<Values[number]>> {
  const known: readonly Values[number][] = values
  const schema = mayDefault(z.literal([...known]), description, known[0]!, values.at(-1))
  facts.add(schema, { profiles })
  return schema
}

/**
 * The description of a key, and what {@link flag}, {@link callsOut} and {@link quirk} say of it.
 */
export function hintOf(schema: z.core.$ZodType): {
  description: string
  isFlag: boolean
  callsOut: boolean
  profiles: Readonly<Record<string, unknown>>
} {
  const { description = '' } = z.globalRegistry.get(schema as z.ZodMiniType) ?? {}
  const { isFlag = false, callsOut = false, profiles = {} } = facts.get(schema) ?? {}
  return { description, isFlag, callsOut, profiles }
}

function hover(
  description: string,
  examples: readonly unknown[],
): { description: string; examples?: unknown[] } {
  return examples.length === 0 ? { description } : { description, examples: [...examples] }
}

/** Checks a value with a function that throws a readable error. */
export function readable<Value>(read: (value: Value) => void): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    try {
      read(value)
    } catch (error) {
      issues.push({ code: 'custom', message: (error as Error).message, input: value })
    }
  }
}

/** Refuses a value if `problem` returns a message. */
export function refusing<Value>(problem: (value: Value) => string | undefined): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    const message = problem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  }
}

/** A mapping that can be shortened to the value of one field. */
export function orField<Value extends z.ZodMiniType, Mapping extends z.ZodMiniType>(
  value: Value,
  mapping: Mapping,
) {
  return z.union([value, mapping])
}

/** The output of a schema as a type for callers: lists are read-only, and optional keys may not be undefined. */
export type Plain<Value> = Value extends readonly unknown[]
  ? { readonly [Index in keyof Value]: Plain<Value[Index]> }
  : Value extends object
    ? { [Key in keyof Value]: PlainField<Value[Key]> }
    : Value

type PlainField<Value> = unknown extends Value ? Value : Plain<Exclude<Value, undefined>>
