/** A part of a whole: 0 to 1, or a percentage such as `40%`. */
export type Fraction = number | string

/** Parses a fraction to a number from 0 to 1. NaN if it is neither a number from 0 to 1 nor a percentage. */
export function parseFraction(fraction: Fraction): number {
  if (typeof fraction === 'number') return fraction >= 0 && fraction <= 1 ? fraction : NaN
  const percent = /^(\d{1,3}(?:\.\d{1,6})?)\s*%$/.exec(fraction.trim())?.[1]
  const value = percent === undefined ? NaN : Number(percent) / 100
  return value <= 1 ? value : NaN
}
