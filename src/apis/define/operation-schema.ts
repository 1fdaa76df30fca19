import * as z from 'zod/mini'
import { may, named } from '../../scenario/schema/fields.ts'
import { maxModelNameLength } from '../models/catalog.ts'

/**
 * The parameters and responses of an operation, for the OpenAPI document. For speed, the operation itself checks requests.
 * `test/control/openapi-bodies.slow.test.ts` proves that both accept the same.
 */
export interface OperationSchema {
  /** A summary in a few words. */
  readonly summary: string
  readonly query?: z.ZodMiniObject
  /** Headers that it reads, in addition to those of all operations. */
  readonly headers?: z.ZodMiniObject
  readonly body?: z.ZodMiniType
  /** Whether the body may be a form, too. */
  readonly takesForm?: true
  readonly answer: AnswerSchema
}

/** The successful response, by its media types. */
export interface AnswerSchema {
  readonly json?: z.ZodMiniType
  /** The data of an event of `text/event-stream`. */
  readonly events?: z.ZodMiniType
  /** The media types of bytes. */
  readonly bytes?: readonly string[]
  /** Media types of texts. */
  readonly texts?: readonly string[]
  /** Further statuses with their meaning. */
  readonly others?: Readonly<Record<string, string>>
}

/** The operations of an API, with their common parts. */
export interface ApiSchema<Name extends string> {
  readonly title: string
  readonly description: string
  /** The envelope of its refusals. */
  readonly error: z.ZodMiniType
  /** Whether its keys may also be in `x-goog-api-key` and `?key=`, in `x-api-key` for messages and models, or in `mj-api-secret`. */
  readonly keys?: 'native' | 'models' | 'messages' | 'drawing'
  readonly operations: Readonly<Record<Name, OperationSchema>>
}

/** An integer of any size, because zod's own has bounds. */
export const integer = z.number().check(z.multipleOf(1))

export const unixSeconds = integer
export const optionalText = z.optional(z.string())
export const anyObject = z.looseObject({})
export const jsonSchema = z.union([anyObject, z.boolean()])

export const gatewayError = named(
  'GatewayError',
  z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.optional(z.nullable(z.union([z.string(), integer]))),
      param: z.optional(z.nullable(z.string())),
    }),
  }),
  'A refusal by the gateway.',
)

export const taskError = named(
  'TaskError',
  z.object({ code: z.string(), message: z.string(), data: z.null() }),
  'A refusal by the handlers of tasks.',
)

/** Adds JSON Schema keywords that zod can't express. */
export function constrain<Schema extends z.ZodMiniType>(schema: Schema, keywords: object): Schema {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...keywords })
  return schema
}

const ignored = constrain(z.unknown(), { description: 'Ignored.' })

/** A field whose invalid values are ignored. */
export function lenient<Schema extends z.ZodMiniType>(
  schema: Schema,
): z.ZodMiniUnion<[Schema, z.ZodMiniUnknown]> {
  return z.union([schema, ignored])
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
export const modelName = z.string().check(z.minLength(1), z.maxLength(maxModelNameLength))
/** A text with more than spaces. */
export const words = z.string().check(z.regex(/\S/))

/** An image of a request. */
export const imageText = z.string()

export function oneOrMore<Schema extends z.ZodMiniType>(
  schema: Schema,
  max = 1_000,
): z.ZodMiniUnion<[Schema, z.ZodMiniArray<Schema>]> {
  return z.union([schema, z.array(schema).check(z.minLength(1), z.maxLength(max))])
}

/** The start and the length of a page of a list. */
export const pageQuery = z.object({
  limit: may(integer, 'How many are listed.'),
  order: may(z.enum(['asc', 'desc']), 'By time. Default desc.'),
  after: may(z.string(), 'The id after which the page begins.'),
})
