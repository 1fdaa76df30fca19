import * as z from 'zod/mini'
import { DurationError } from '../../../engine/clock/duration.ts'
import { isObject } from '../../../engine/is-object.ts'
import { checkDuration } from '../../../engine/random/distribution.ts'
import { durationPattern } from '../../../scenario/schema/values.ts'
import type { JobMedium } from '../job/stored-job.ts'
import type { Refusals } from './refused.ts'

/** A schema for each key of a type: the compiler finds a key that has none, and one that does not exist. */
export type Keys<Type> = Readonly<Record<keyof Type, z.ZodMiniType>>

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A value that a function judges, and what to write. */
export const such = (fits: (value: unknown) => boolean, write: string): z.ZodMiniType => z.custom(fits, write)
export const maybe = (schema: z.ZodMiniType): z.ZodMiniType => z.optional(schema)
/** An optional value. */
export const may = (fits: (value: unknown) => boolean, write: string): z.ZodMiniType =>
  maybe(such(fits, write))
export const group = (shape: Readonly<Record<string, z.ZodMiniType>>): z.ZodMiniType =>
  maybe(z.strictObject(shape, `Write an object with ${Object.keys(shape).join(', ')}.`))
export const like = (pattern: RegExp, write: string): z.ZodMiniType =>
  such((value) => typeof value === 'string' && pattern.test(value), write)
export const words = (write: string, fits: (value: unknown) => boolean = isText): z.ZodMiniType =>
  may((value) => Array.isArray(value) && value.every(fits), write)
export const calls = (write: string): z.ZodMiniType => such((value) => typeof value === 'function', write)

export const text = may(isText, 'Write a text.')
export const texts = may(
  (value) => isObject(value) && Object.values(value).every(isText),
  "Write values by name, such as { 'x-target': 'jobs.start' }.",
)
export const flag = may((value) => typeof value === 'boolean', 'Write true or false.')
const media = ['video', 'image', 'audio', 'text'] satisfies JobMedium[]
export const isMedium = (value: unknown): boolean => (media as unknown[]).includes(value)
export const medium = may(isMedium, "Write 'video', 'image', 'audio' or 'text'.")
export const amount = (least: number, most: number, write: string): z.ZodMiniType =>
  may((value) => typeof value === 'number' && value >= least && value <= most, write)
export const whole = (least: number, write: string): z.ZodMiniType =>
  may((value) => Number.isInteger(value) && (value as number) >= least, write)
export const isStatus = (least: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= 599

/** A number would be milliseconds here, and seconds to many vendors: durations have a unit. */
export const pace = maybe(
  z.unknown().check(({ value, issues }) => {
    if (typeof value === 'number' && value !== 0) {
      const message = `Write a duration with its unit, such as '${value}s'.`
      issues.push({ code: 'custom', message, input: value })
      return
    }
    try {
      checkDuration(value as never)
    } catch (error) {
      const message = error instanceof DurationError ? error.message : "Write a duration, such as '20s'"
      issues.push({ code: 'custom', message: `${message}.`, input: value })
    }
  }),
)
export const isSpan = (value: unknown): boolean =>
  typeof value === 'string' && new RegExp(durationPattern).test(value)
export const span = may(isSpan, "Write a duration with its unit, such as '1h'.")

const writeStatus = 'Write a status from 400 to 599'
const refusal = maybe(
  z.union(
    [
      z.custom(isStatus(400)),
      z.strictObject({ status: such(isStatus(400), `${writeStatus}.`), code: text, message: text }),
    ],
    `${writeStatus}, or { status, code, message }.`,
  ),
)
export const refusals = group({
  invalidBody: refusal,
  invalidSize: refusal,
  invalidSeconds: refusal,
  unknownJob: refusal,
  notWaiting: refusal,
  noResult: refusal,
  expired: refusal,
  reusedKey: refusal,
} satisfies Keys<Refusals>)
