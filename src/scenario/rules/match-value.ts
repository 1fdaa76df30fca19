import { fitsGlob } from '../../engine/glob.ts'
import type { Scalar, ValueMatch } from '../vocabulary/types.ts'
import { patternOf } from '../schema/patterns.ts'

/** How many characters of a text are matched. */
export const maxMatchedCharacters = 10_000

/** Whether one of the values matches. An empty list stands for a missing value. */
export function fitsValue(wanted: ValueMatch, values: readonly unknown[]): boolean {
  if (typeof wanted !== 'object' || wanted === null) return values.some((value) => isSame(wanted, value))
  if ('exists' in wanted) return wanted.exists === values.length > 0
  if ('not' in wanted) return !fitsValue(wanted.not, values)
  return values.some((value) => fitsOne(wanted, value))
}

type Plain = Exclude<ValueMatch, Scalar | null | { exists: boolean } | { not: ValueMatch }>

function fitsOne(wanted: Plain, value: unknown): boolean {
  if ('equals' in wanted) return isSame(wanted.equals, value)
  if ('in' in wanted) return wanted.in.some((one) => isSame(one, value))
  if (value === null || typeof value === 'object' || value === undefined) return false
  const text = String(value).slice(0, maxMatchedCharacters)
  if ('glob' in wanted) return fitsGlob(wanted.glob, text)
  if ('contains' in wanted) return text.includes(wanted.contains)
  return patternOf(wanted.regex, wanted.flags).test(text)
}

function isSame(wanted: Scalar | null, value: unknown): boolean {
  return wanted === value
}

/** Whether a match has a regular expression, whose engine must be loaded first. */
export function needsPatterns(wanted: ValueMatch): boolean {
  if (typeof wanted !== 'object' || wanted === null) return false
  return 'regex' in wanted || ('not' in wanted && needsPatterns(wanted.not))
}
