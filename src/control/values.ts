import * as z from 'zod/mini'
import { integer } from '../apis/define/operation-schema.ts'

/** The schemas of all fields of a type, and of no others. */
export type FieldsOf<Type> = Readonly<Record<keyof Type, z.ZodMiniType>>

/** Milliseconds since 1970. */
export const instant = integer

const wholeNumber = 'must be a whole number'

/** A whole number in a query. */
export const count = z.coerce.number(wholeNumber).check(z.multipleOf(1, wholeNumber), z.gte(0, wholeNumber))

const momentForm = 'must be an ISO date or milliseconds since 1970'

/** An instant in the syntax of calls. */
export const moment = z.union(
  [z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), momentForm)), z.number()],
  momentForm,
)

/** @returns milliseconds since 1970. */
export const instantOf = (at: string | number): number =>
  Math.round(typeof at === 'number' ? at : Date.parse(at))
