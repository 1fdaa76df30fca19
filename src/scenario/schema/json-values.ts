import * as z from 'zod/mini'
import { must } from './fields.ts'

/** An integer of any size, because zod's own has bounds. */
export const integer = z.number().check(z.multipleOf(1))

export const optionalText = z.optional(z.string())
export const anyObject = z.looseObject({})
/** The refusal of what is no JSON Schema. */
export const noSchema = 'field {field} must be a schema, not {value}'
export const jsonSchema = z.union([anyObject, z.boolean()], noSchema)

/** The same schema with JSON Schema keywords that zod can't express. */
export function constrain<Schema extends z.ZodMiniType>(schema: Schema, keywords: object): Schema {
  const constrained = schema.clone(schema.def as never, { parent: true }) as Schema
  z.globalRegistry.add(constrained, { ...z.globalRegistry.get(schema), ...keywords })
  return constrained
}

const ignored = constrain(z.unknown(), { description: 'Ignored.' })

/** An optional field, and the value that it has if it is missing. */
export function withDefault<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: z.output<Schema> & (string | number | boolean),
  description: string,
): z.ZodMiniDefault<Schema> {
  return must(z._default(schema, value as never), description)
}

/** A field whose invalid values are ignored: a form reads them as undefined. */
export function lenient<Schema extends z.ZodMiniType>(
  schema: Schema,
): z.ZodMiniType<z.output<Schema> | undefined> {
  const read = z.transform((value) => {
    const { success, data } = z.safeParse(schema, value)
    return success ? data : undefined
  })
  return z.pipe(z.union([schema, ignored]), read)
}

export function range(min: number, max: number): z.ZodMiniNumber {
  return z.number().check(z.minimum(min), z.maximum(max))
}

export function integers(min: number, max: number): z.ZodMiniNumber {
  return integer.check(z.minimum(min), z.maximum(max))
}

/** The schema of an object in which a field is true. */
export function isTrue(name: string): object {
  return { properties: { [name]: { const: true } }, required: [name] }
}

/** At most one of two fields. */
export function notBoth(one: string, other: string): object {
  return { not: { properties: { [one]: {}, [other]: {} }, required: [one, other] } }
}

export const filledText = z.string().check(z.minLength(1))

/** A text with more than spaces. */
export const words = z.string().check(z.regex(/\S/))
