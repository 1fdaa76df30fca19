import type { DurationSpec } from './distribution.ts'
import { either, listOf, mapping, number, text, type Form } from './form.ts'

/** A duration as it is written: a text, or milliseconds. */
export const duration: Form = either(text, number)

type Object = Exclude<DurationSpec, string | number>
type Normal = Extract<Object, { normal: unknown }>['normal']
type Lognormal = Extract<Object, { lognormal: unknown }>['lognormal']

const bounds = { min: duration, max: duration }

/** A duration, or how to draw one. */
export const durationSpec: Form = either(
  text,
  number,
  mapping<Object>(
    {
      uniform: listOf(duration),
      normal: mapping<Normal>({ mean: duration, sd: duration, ...bounds }, ['mean', 'sd']),
      lognormal: mapping<Lognormal>({ p50: duration, p95: duration, ...bounds }, ['p50', 'p95']),
      choice: listOf(
        mapping<{ value: unknown; weight?: number }>({ value: duration, weight: number }, ['value']),
      ),
    },
    [['uniform', 'normal', 'lognormal', 'choice']],
  ),
)
