import { visit, type Document } from 'yaml'

/** So many are told. */
const mostTold = 20

/** A whole number that JavaScript would quietly make another, with where it stands. */
export interface RoundedNumber {
  readonly offset: number
  readonly message: string
}

/**
 * Finds whole numbers with more digits than a number keeps, as values and as keys: a seed of nineteen digits would be
 * another seed than `--seed` makes of the same digits.
 */
export function roundedNumbers(document: Document): RoundedNumber[] {
  const found: RoundedNumber[] = []
  visit(document, {
    Scalar: (_key, { value, source, range }) => {
      if (typeof value !== 'number' || source === undefined || !isRounded(value, source)) return undefined
      const message = `${source.slice(0, 64)} has more digits than a number keeps: it would be read as ${value}. Write it in quotes.`
      found.push({ offset: range?.[0] ?? 0, message })
      return found.length === mostTold ? visit.BREAK : undefined
    },
  })
  return found
}

function isRounded(value: number, source: string): boolean {
  if (!/^[-+]?(\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source) || Number.isSafeInteger(value)) return false
  return String(value) !== source
}
