import type * as z from 'zod/mini'
import type { JsonValue } from '../../gateway/bodies/json.ts'

/** A value that does not fit its schema. */
export interface Misfit {
  /** The place of the value, such as `messages[0].role`; empty for the body. */
  readonly field: string
  /** Undefined or null if it is missing. */
  readonly value: JsonValue | undefined
  /** What zod found. If a word selects one of several kinds of objects, an unknown word is an `invalid_value`. */
  readonly issue: z.core.$ZodRawIssue
  /** The schema that it does not fit. */
  readonly schema: z.core.$ZodType
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

/** How the values of a form are read. */
export interface Compilation extends FormOptions {
  readonly refuse: Refuse
  /** Whether numbers and booleans may be written as texts. */
  readonly isText?: boolean
  /** The sentence of the schema around it, for a value that has none of its own. */
  readonly around?: Sentence | undefined
}

type Sentence = z.core.$ZodErrorMap

/** A place in a body. It is only written for a message, since texts take time. */
export interface FieldPlace {
  /** Undefined at the body. */
  readonly holder: FieldPlace | undefined
  readonly key: string | number
}

/** A value and its place. */
export interface PlacedValue extends FieldPlace {
  readonly value: unknown
}

/** The refusal of a value of the wrong type. */
export function refuseType(
  expected: string,
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: Compilation,
): Error {
  const issue = { code: 'invalid_type', expected, input: found.value } as z.core.$ZodRawIssue
  return refuseIssue(issue, found, schema, how)
}

/** The refusal of a value, in the words of the API. */
export function refuseIssue(
  issue: z.core.$ZodRawIssue,
  { value, holder, key }: PlacedValue,
  schema: z.core.$ZodType,
  how: Compilation,
): Error {
  const { refuse, around } = how
  const place = (issue.path ?? []).reduce<FieldPlace>(
    (found, step) => ({ holder: found, key: step as string | number }),
    { holder, key },
  )
  const field = writePlace(place, how)
  const own = issue.inst ? errorOf(issue.inst as z.core.$ZodType) : undefined
  const spoken = issue.message ?? (own ?? errorOf(schema) ?? around)?.(issue)
  const sentence = typeof spoken === 'object' && spoken !== null ? spoken.message : spoken
  return refuse({
    field,
    value: value as JsonValue | undefined,
    issue,
    schema,
    sentence: sentence?.replaceAll(/\{(field|holder)\}/g, (_, name) =>
      name === 'field' ? field : writePlace(holder, how),
    ),
  })
}

/** The sentence of a schema. */
export function errorOf(schema: z.core.$ZodType): Sentence | undefined {
  return schema._zod.def.error as Sentence | undefined
}

/** A place as messages have it, such as `messages[0].role`; empty for the body. */
function writePlace(place: FieldPlace | undefined, how: FormOptions): string {
  if (!place) return ''
  const holder = writePlace(place.holder, how)
  if (typeof place.key === 'number' && !how.hasDottedPaths) return `${holder}[${place.key}]`
  const name = String(place.key)
  return holder === '' ? name : name === '' ? holder : `${holder}.${name}`
}
