import * as z from 'zod/mini'

/**
 * A key that may be left out, with what editors and docs say of it.
 *
 * @param description one or two sentences, with the default where there is one.
 * @param examples values as they are written in a file.
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

/** A key that must be there, with what editors and docs say of it. */
export function must<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  ...examples: readonly unknown[]
): Schema {
  // The JSON Schema refers to a named schema by its name, and keeps the description of the key.
  const described = schema.clone(schema.def as never, { parent: true })
  z.globalRegistry.add(described, hover(description, examples))
  return described as Schema
}

/** Gives a schema the name under which the JSON Schema defines it once. */
export function named<Schema extends z.ZodMiniType>(
  id: string,
  schema: Schema,
  description: string,
  ...examples: readonly unknown[]
): Schema {
  // A pattern may stand there already.
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id, ...hover(description, examples) })
  return schema
}

/** Makes a key a flag of `serve`, too: `cacheDir` becomes `--cache-dir`, explained by the description of the key. */
export function flag<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), isFlag: true })
  return schema
}

/** The description of a key, and whether it is a flag. */
export function hintOf(schema: z.core.$ZodType): { description: string; isFlag: boolean } {
  const { description = '', isFlag } = z.globalRegistry.get(schema as z.ZodMiniType) ?? {}
  return { description, isFlag: isFlag === true }
}

function hover(
  description: string,
  examples: readonly unknown[],
): { description: string; examples?: unknown[] } {
  return examples.length === 0 ? { description } : { description, examples: [...examples] }
}

/** Checks a value by a function that throws a readable error. */
export function readable<Value>(read: (value: Value) => void): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    try {
      read(value)
    } catch (error) {
      issues.push({ code: 'custom', message: (error as Error).message, input: value })
    }
  }
}

/** Tells a mistake where `problem` names one. */
export function refusing<Value>(problem: (value: Value) => string | undefined): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    const message = problem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  }
}

/** A mapping of which one field is enough: the value of that field alone stands for it. */
export function orField<Value extends z.ZodMiniType, Mapping extends z.ZodMiniType>(
  value: Value,
  mapping: Mapping,
) {
  return z.union([value, mapping])
}

/** The output of a schema as a type for callers: lists are read-only, and optional keys are never undefined. */
export type Plain<Value> = Value extends readonly unknown[]
  ? { readonly [Index in keyof Value]: Plain<Value[Index]> }
  : Value extends object
    ? { [Key in keyof Value]: PlainField<Value[Key]> }
    : Value

type PlainField<Value> = unknown extends Value ? Value : Plain<Exclude<Value, undefined>>
