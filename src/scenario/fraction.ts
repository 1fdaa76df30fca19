import type { Fraction } from './faults/fault.ts'

/** A share as a number from 0 to 1: `0.4`, or `40%`. NaN for what is neither. */
export function shareOf(share: Fraction): number {
  if (typeof share === 'number') return share >= 0 && share <= 1 ? share : NaN
  const percent = /^(\d{1,3}(?:\.\d{1,6})?)\s*%$/.exec(share.trim())?.[1]
  const value = percent === undefined ? NaN : Number(percent) / 100
  return value <= 1 ? value : NaN
}
