import * as z from 'zod/mini'
import { parseObject } from '../../gateway/bodies/json.ts'
import { maxModelNameLength } from './catalog.ts'
import type { Form } from './form.ts'

/** What the OpenAPI document says of an operation, besides its summary and the form of its requests. */
export interface OperationDetails {
  readonly query?: z.ZodMiniObject
  /** Headers that it reads, in addition to those of all operations. */
  readonly headers?: z.ZodMiniObject
  /** The operation whose golden exchanges show its answer, if not itself. */
  readonly like?: string
  /** What golden exchanges don't say of its answer. */
  readonly answer?: AnswerSchema
}

/** The successful response, by its media types. */
export interface AnswerSchema {
  readonly json?: z.ZodMiniType
  readonly example?: unknown
  /** The data of an event of `text/event-stream`. */
  readonly events?: z.ZodMiniType
  /** The media types of bytes. */
  readonly bytes?: readonly string[]
  /** Media types of texts. */
  readonly texts?: readonly string[]
  /** Further statuses with their meaning. */
  readonly others?: Readonly<Record<string, string>>
}

/** An operation with its summary and the form of its requests. */
export interface OperationSchema extends OperationDetails {
  readonly answer: AnswerSchema
  readonly summary: string
  readonly form?: Form | undefined
}

/** The operations of an API, with their common parts. */
export interface DescribedApi {
  readonly title: string
  readonly description: string
  /** Whether it is one of the gateway, whose headers its replies have. */
  readonly isGateways: boolean
  /** The envelope of its refusals. */
  readonly error: z.ZodMiniType
  /** Where its keys may be, besides `Authorization`. */
  readonly keys: readonly KeyPlace[]
  readonly operations: Readonly<Record<string, OperationSchema>>
}

/** Where a key may be, as a security scheme of OpenAPI. */
export interface KeyPlace {
  /** The name of the scheme. */
  readonly id: string
  readonly in: 'header' | 'query'
  readonly name: string
  readonly description: string
}

/** An object, or a text that contains one as JSON. An empty text is an empty object. */
export function orJsonText<Schema extends z.ZodMiniObject>(
  schema: Schema,
): z.ZodMiniUnion<[Schema, z.ZodMiniPipe<z.ZodMiniType<unknown, string>, Schema>]> {
  const read = z.transform((text: string): unknown => (text === '' ? {} : parseObject(text)))
  const written = z.pipe(z.pipe(z.string(), read) as unknown as z.ZodMiniType<never, string>, schema as never)
  const { error } = schema._zod.def
  return z.union([schema, written as never], error ? { error: error as never } : {})
}

export const modelName = z.string().check(z.minLength(1), z.maxLength(maxModelNameLength))

/**
 * A request that `check` sends, where it can't find one by itself.
 *
 * @example
 * const example: ExampleRequest = { body: { voice: 'low' }, headers: { 'x-acme-version': '2' } }
 */
export interface ExampleRequest<Body = unknown> {
  /** Default: drawn from the schema. */
  readonly body?: Body
  /** Parameters of the query. */
  readonly query?: Readonly<Record<string, string>>
  /** The headers that `check` sends with every request of the API. */
  readonly headers?: Readonly<Record<string, string>>
}
