import type * as z from 'zod/mini'
import type * as core from 'zod/v4/core'
import { once } from '../../engine/once.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { ValueMisfit, FieldPlace } from '../../scenario/schema/misfit.ts'
import { compileReader } from '../../scenario/schema/reader.ts'

/** A value that does not fit its schema. */
export interface Misfit extends Pick<ValueMisfit, 'issue' | 'schema'> {
  /** The place of the value, such as `messages[0].role`; empty for the body. */
  readonly field: string
  /** Undefined or null if it is missing. */
  readonly value: JsonValue | undefined
  /**
   * The schema's own sentence, with the place in it. A schema has it as zod's `error`, with `{field}` for the place, and
   * `{holder}` for that of the object or list around it.
   */
  readonly sentence: string | undefined
}

/** Puts a misfit into the words and the envelope of an API. */
export type Refuse = (misfit: Misfit) => Error

/** How the requests of an operation differ from a body of plain JSON. */
export interface FormOptions {
  /** Whether fields may be named in snake case, too. */
  readonly takesSnakeCase?: boolean
  /** Whether the body may be multipart, too. Then numbers and booleans are texts. */
  readonly takesMultipart?: boolean
  /** Whether the fields are parameters of the query, all of them texts. */
  readonly isQuery?: boolean
  /** Whether places are written as `messages.0.role` instead of `messages[0].role`. */
  readonly hasDottedPaths?: boolean
}

/**
 * The form of a request's body or query. Its schema is the only description: types, checks, messages and the OpenAPI
 * document are made from it.
 */
export interface Form<Schema extends core.$ZodType = z.ZodMiniType> extends FormOptions {
  /** Made on first use. */
  readonly schema: Schema
  /**
   * Reads fields in the order of the schema. A field that is null counts as missing.
   *
   * @param isText whether they come from a multipart body, so that numbers are texts; only for a form that takes those.
   * @throws the error that the API's {@link Refuse} makes of the first value that doesn't fit.
   */
  readonly read: (fields: JsonObject, isText?: boolean) => core.output<Schema>
}

/**
 * Defines the form of a body or a query.
 *
 * @param describe makes its schema, on first use: all schemas together would take a tenth of the time that a server needs to
 * start. So the parts of a schema are functions, too.
 */
export function defineForm<Schema extends z.ZodMiniType>(
  describe: () => Schema,
  refuse: Refuse,
  options: FormOptions = {},
): Form<Schema> {
  const { takesMultipart = false, isQuery = false } = options
  const note = (misfit: ValueMisfit): never => {
    throw refuse(describeMisfit(misfit, options))
  }
  const schema = once(describe)
  const readerOf = (isText: boolean) =>
    once(() => compileReader(schema(), { ...options, note, isText, isRequest: true }))
  const [readTexts, readJson] = [readerOf(true), readerOf(false)]
  return {
    ...options,
    get schema() {
      return schema()
    },
    read: (fields, isText = false) => {
      const read = isQuery || (isText && takesMultipart) ? readTexts() : readJson()
      return read(fields, undefined, '') as z.output<Schema>
    },
  }
}

function describeMisfit({ sentence, issue, schema, ...found }: ValueMisfit, options: FormOptions): Misfit {
  const field = writePlace(found, options)
  return {
    field,
    value: found.value as JsonValue | undefined,
    issue,
    schema,
    sentence: sentence?.replaceAll(/\{(field|holder)\}/g, (_, name) =>
      name === 'field' ? field : writePlace(found.holder, options),
    ),
  }
}

/** A place as messages have it, such as `messages[0].role`; empty for the body. */
function writePlace(place: FieldPlace | undefined, options: FormOptions): string {
  if (!place) return ''
  const holder = writePlace(place.holder, options)
  if (typeof place.key === 'number' && !options.hasDottedPaths) return `${holder}[${place.key}]`
  const name = String(place.key)
  return holder === '' ? name : name === '' ? holder : `${holder}.${name}`
}
