import type * as z from 'zod/mini'
import type * as core from 'zod/v4/core'
import { once } from '../../engine/once.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { FormOptions, Refuse } from './misfit.ts'
import { compileReader } from './read-form.ts'

/**
 * The form of a request's body or query. Its schema is the only description: types, checks, messages and the OpenAPI
 * document are made from it.
 */
export interface Form<Schema extends z.ZodMiniType = z.ZodMiniType> extends FormOptions {
  /** Made on first use. */
  readonly schema: Schema
  /**
   * Reads fields in the order of the schema. A field that is null counts as missing.
   *
   * @param isText whether they come from a multipart body, so that numbers are texts; only for a form that takes those.
   * @throws the error that the API's {@link Refuse} makes of the first value that doesn't fit.
   */
  readonly read: (fields: JsonObject, isText?: boolean) => z.output<Schema>
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
  const schema = once(describe)
  const readTexts = once(() => compileReader(schema(), { ...options, refuse, isText: true }))
  const readJson = once(() => compileReader(schema(), { ...options, refuse }))
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

/** A form of zod that is made on first use, and that reads multipart bodies, too. */
export interface BodyForm<Schema extends core.$ZodType> {
  readonly schema: Schema
  readonly read: (fields: JsonObject, isText?: boolean) => core.output<Schema>
}
