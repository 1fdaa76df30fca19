import * as z from 'zod/mini'
import { unfilledProblem } from './templates.ts'
import { suggestKnown } from '../../engine/did-you-mean.ts'
import { checkDuration, type DurationSpec } from '../../engine/random/distribution.ts'
import { parseDuration } from '../../engine/clock/duration.ts'
import { knownOperations, such } from './known-names.ts'
import { may, must, named, readable, refusing } from './fields.ts'

/** A whole number between two bounds, inclusive. */
export function wholeNumber(min?: number, max?: number): z.ZodMiniNumberFormat {
  const bounds = [...(min === undefined ? [] : [z.gte(min)]), ...(max === undefined ? [] : [z.lte(max)])]
  return z.int().check(...bounds)
}

/** A whole number above 0. */
export function positive(max?: number): z.ZodMiniNumberFormat {
  return z.int().check(z.gt(0), ...(max === undefined ? [] : [z.lte(max)]))
}

export function positiveNumber(max?: number): z.ZodMiniNumber<number> {
  return z.number().check(z.gt(0), ...(max === undefined ? [] : [z.lte(max)]))
}

export function nonNegative(max?: number): z.ZodMiniNumber<number> {
  return z.number().check(z.gte(0), ...(max === undefined ? [] : [z.lte(max)]))
}

/** The largest price in dollars. Larger ones could overflow to Infinity, which JSON can't store. */
export const maxPrice = 1_000_000

/** The largest sum of money in dollars: what a key without a balance seems to have. */
export const maxDollars = 100_000_000

/** The largest weight of a random choice. The sum of larger ones could overflow to Infinity. */
export const maxWeight = 1_000_000

/** A text with a minimum and maximum number of characters. */
export function text(min: number, max?: number): z.ZodMiniString<string> {
  const bounds = [...(min > 0 ? [z.minLength(min)] : []), ...(max === undefined ? [] : [z.maxLength(max)])]
  return z.string().check(...bounds)
}

/** A list with a minimum and maximum number of entries. */
export function list<Item extends z.core.SomeType>(
  item: Item,
  min: number,
  max?: number,
): z.ZodMiniArray<Item> {
  const bounds = [...(min > 0 ? [z.minLength(min)] : []), ...(max === undefined ? [] : [z.maxLength(max)])]
  return z.array(item).check(...bounds)
}

/** The pattern of {@link parseDuration}, for editors. */
const written = '(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+'
export const durationPattern = `^\\s*${written}\\s*$`

export const duration = named(
  'duration',
  z
    .union([z.string(), z.number()], 'must be a duration such as "5s", or milliseconds')
    .check(readable(parseDuration))
    .check(z.meta({ pattern: durationPattern, minimum: 0 })),
  'A length of virtual time such as 250ms, 5s, 1m30s or 2h; a number is milliseconds.',
  '5s',
  '1m30s',
)

const bounds = () => ({
  min: may(duration, 'The shortest length.', '20ms'),
  max: may(duration, 'The longest length.', '4m'),
})

/** A duration, `forever`, or a distribution. */
export const durationSpec = z.lazy(() =>
  named(
    'durationSpec',
    z.union([
      z
        .string()
        .check(readable<string>(checkDuration))
        .check(z.meta({ pattern: `^(?:forever|\\s*${written}\\s*)$` })),
      z
        .number()
        .check(readable<number>(checkDuration))
        .check(z.meta({ minimum: 0 })),
      z.strictObject({
        uniform: must(
          z.tuple([duration, duration]).check(readable((uniform) => checkDuration({ uniform }))),
          'Any length between two; all are equally likely.',
          ['300ms', '900ms'],
        ),
      }),
      z.strictObject({
        normal: must(
          z.strictObject({
            mean: must(duration, 'The mean.', '5s'),
            sd: must(
              duration,
              'The standard deviation: two of three lengths differ less than this from the mean.',
              '1s',
            ),
            ...bounds(),
          }),
          'A normal distribution.',
          { mean: '180ms', sd: '60ms', min: '20ms' },
        ),
      }),
      z.strictObject({
        lognormal: must(
          z
            .strictObject({
              p50: must(duration, 'The median.', '12s'),
              p95: must(duration, 'The 95th percentile.', '24s'),
              ...bounds(),
            })
            .check(readable((lognormal) => checkDuration({ lognormal } as DurationSpec))),
          'A lognormal distribution: many short lengths and a few long ones, which is typical of services.',
          { p50: '12s', p95: '24s' },
        ),
      }),
      z.strictObject({
        choice: must(
          list(
            z.strictObject({
              value: must(
                z.union([
                  z.string().check(readable<string>(checkDuration)),
                  z.number().check(readable<number>(checkDuration)),
                ]),
                'One of the lengths, or forever.',
                '1s',
              ),
              weight: may(nonNegative(maxWeight), 'The weight of this value. Default 1.', 3),
            }),
            1,
          ).check(readable((choice) => checkDuration({ choice } as DurationSpec))),
          'One of several lengths.',
          [{ value: '1s', weight: 3 }, { value: 'forever' }],
        ),
      }),
    ]),
    'A length of virtual time, `forever`, or a distribution from which each length is drawn. The seed determines the draws.',
    '5s',
    { lognormal: { p50: '12s', p95: '24s' } },
  ),
)

const shareAdvice = 'write a number from 0 to 1, or a percentage such as "40%"'

export const share = named(
  'share',
  z.union([
    z
      .number()
      .check(refusing((value) => (Number.isNaN(parseFraction(value)) ? shareAdvice : undefined)))
      .check(z.meta({ minimum: 0, maximum: 1 })),
    z
      .string()
      .check(refusing((value) => (Number.isNaN(parseFraction(value)) ? shareAdvice : undefined)))
      .check(z.meta({ pattern: '^\\s*(?:100(?:\\.0+)?|\\d{1,2}(?:\\.\\d{1,6})?)\\s*%$' })),
  ]),
  'A part of a whole: a number from 0 to 1, or a percentage.',
  '40%',
  0.4,
)

/** A percentage of progress. */
export const percent = named(
  'percent',
  z.union([
    z.number().check(z.gte(0), z.lte(100)),
    z
      .string()
      .check(
        z.regex(/^\s*(?:100(?:\.0+)?|\d{1,2}(?:\.\d{1,6})?)\s*%\s*$/, 'write a percentage such as "62%"'),
      ),
  ]),
  'A progress: a number from 0 to 100, or a percentage.',
  '62%',
  62,
)

/** An operation, or a pattern that matches at least one. */
export const operation = named(
  'operation',
  z.string().check(
    refusing((value) => {
      const operations = knownOperations()
      if (!operations || operations.matching(value).length > 0) return undefined
      return `unknown operation.${suggestKnown(value, operations.names, 'Use one of these, with * for any text')}`
    }),
  ),
  'An operation of the gateway; `*` matches any characters.',
  such.poll,
  such.family,
)

export const operationsSchema = z.union([operation, list(operation, 1)])

export const identifier = z
  .string()
  .check(
    z.regex(
      /^[!-~](?:[ -~]{0,62}[!-~])?$/,
      'use 1 to 64 ASCII characters, without a space at the start or end',
    ),
  )

export const sizeText = z
  .string()
  .check(z.regex(/^\d{1,5}x\d{1,5}$/, 'must be WIDTHxHEIGHT, such as 1280x720'))

/** A text without templates, since nothing would fill them. */
export const plainText = z.string().check(refusing(unfilledProblem))

/** Shorter tokens could be guessed. */
export const shortestToken = 16

/** Whether a token is valid in a header and hard to guess. */
export function isTokenFit(token: string): boolean {
  return token.length >= shortestToken && /^[\x21-\x7e]+$/.test(token)
}

/** A part of a whole: 0 to 1, or a percentage such as `40%`. */
export type Fraction = number | string

/** Parses a fraction to a number from 0 to 1. NaN if it is neither a number from 0 to 1 nor a percentage. */
export function parseFraction(fraction: Fraction): number {
  if (typeof fraction === 'number') return fraction >= 0 && fraction <= 1 ? fraction : NaN
  const percent = /^(\d{1,3}(?:\.\d{1,6})?)\s*%$/.exec(fraction.trim())?.[1]
  const value = percent === undefined ? NaN : Number(percent) / 100
  return value <= 1 ? value : NaN
}

/** Headers that transports set themselves. */
const framing = ['content-length', 'transfer-encoding']

/** Why a header can't be sent, as the end of a sentence. */
export function headerProblem(name: string, value: string): string | undefined {
  if (framing.includes(name.toLowerCase()))
    return 'follows from the body: use a fault such as truncate or malformed-chunk'
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'must be one line of Latin characters'
}
