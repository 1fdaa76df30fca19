import type * as z from 'zod/mini'
import { errorOf } from './schema-walk.ts'

/** A place in a value. It is only written for a message, since texts take time. */
export interface FieldPlace {
  /** Undefined at the root. */
  readonly holder: FieldPlace | undefined
  readonly key: PropertyKey
}

/** A value and its place. */
export interface PlacedValue extends FieldPlace {
  /** Undefined or null if it is missing. */
  readonly value: unknown
  /** Whether it is the key itself. */
  readonly isKey?: boolean
}

/** A value that does not fit its schema. */
export interface ValueMisfit extends PlacedValue {
  /** What zod found. If a word selects one of several kinds of objects, an unknown word is an `invalid_value`. */
  readonly issue: z.core.$ZodRawIssue
  /** The schema that it does not fit. */
  readonly schema: z.core.$ZodType
  /** The sentence of the schema, or of the choice around it. */
  readonly sentence: string | undefined
}

type Sentence = z.core.$ZodErrorMap
type Fields = Readonly<Record<PropertyKey, unknown>> | null | undefined

/** How values are read. */
export interface ValueReading {
  /** Notes a value that does not fit. If it throws, reading stops at the first one. */
  readonly note: (misfit: ValueMisfit) => void
  /** Whether the fields are those of a request, rather than a user's own: null counts as missing, and a word decides. */
  readonly isRequest?: boolean
  /** Whether fields may be named in snake case, too. */
  readonly takesSnakeCase?: boolean
  /** Whether numbers and booleans may be written as texts. */
  readonly isText?: boolean
  /** Whether the fields are parameters of the query, all of them texts. */
  readonly isQuery?: boolean
}

/** A reading of a part. */
export interface InnerReading extends ValueReading {
  /** The sentence of the choice around it, for a value that has none of its own. */
  readonly around?: Sentence | undefined
  /** Makes the reader of a part. */
  readonly compile: (schema: z.core.$ZodType, how: InnerReading) => ReadValue
  /** How many misfits were noted that leave no value to go on with. */
  readonly ended: { count: number }
}

/** Reads a value. Its place is only put together for a message. */
export type ReadValue = (value: unknown, holder: FieldPlace | undefined, key: PropertyKey) => unknown

/** Notes a value of the wrong type. */
export function noteType(
  expected: string,
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: InnerReading,
): undefined {
  noteIssue({ code: 'invalid_type', expected, input: found.value } as z.core.$ZodRawIssue, found, schema, how)
}

export function noteIssue(
  issue: z.core.$ZodRawIssue,
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: InnerReading,
): void {
  const place = (issue.path ?? []).reduce<PlacedValue>(
    (holder, key) => ({ holder, key, value: (holder.value as Fields)?.[key] }),
    found,
  )
  const own = issue.inst ? errorOf(issue.inst as z.core.$ZodType) : undefined
  const spoken = issue.message ?? (own ?? errorOf(schema) ?? how.around)?.(issue)
  const sentence = (typeof spoken === 'object' ? spoken?.message : spoken) ?? undefined
  if (issue.continue !== true) how.ended.count += 1
  how.note({ ...place, issue, schema, sentence })
}
