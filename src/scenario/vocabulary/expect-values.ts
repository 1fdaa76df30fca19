import * as z from 'zod/mini'
import type { KindName } from './types.ts'
import { parseDuration } from '../../engine/clock/duration.ts'
import { may, named, readable, refusing } from '../schema/fields.ts'
import { apiName } from '../schema/known-names.ts'
import { durationPattern, list, text, wholeNumber } from '../schema/values.ts'

/** Kinds of tasks. */
export const kind = apiName<KindName>('kinds')
export const name = text(1)
export const names = z.union([name, list(name, 1)])

/** A duration with a unit. */
export const durationText = z.lazy(() =>
  named(
    'durationText',
    z
      .string()
      .check(readable(parseDuration))
      .check(z.meta({ pattern: durationPattern })),
    'A length of virtual time such as 250ms, 5s, 1m30s or 2h.',
    '5s',
  ),
)

/** An exact number, or a range. */
export const count = z.lazy(() =>
  named(
    'count',
    z.union([
      wholeNumber(0),
      z
        .strictObject({
          min: may(wholeNumber(0), 'The minimum.', 1),
          max: may(wholeNumber(0), 'The maximum.', 4),
        })
        .check(
          refusing(({ min = 0, max = Infinity }) => (min > max ? 'its min is above its max' : undefined)),
        ),
    ]),
    'An exact number, or an inclusive range.',
    2,
    { min: 1, max: 4 },
  ),
)

export const durationRange = z.lazy(() =>
  named(
    'durationRange',
    z
      .strictObject({
        min: may(durationText, 'The minimum.', '30s'),
        max: may(durationText, 'The maximum.', '4m'),
      })
      .check(
        refusing(({ min, max }) =>
          lasts(min, 0) > lasts(max, Infinity) ? 'its min is above its max' : undefined,
        ),
      ),
    'An inclusive range of virtual time.',
    { min: '30s', max: '4m' },
  ),
)

/** The duration in milliseconds. An invalid one passes here, since another check reports it. */
function lasts(text: string | undefined, otherwise: number): number {
  try {
    return text === undefined ? otherwise : parseDuration(text)
  } catch {
    return otherwise
  }
}
