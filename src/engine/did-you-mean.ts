/** Longer words are not compared. */
const maxWordLength = 300

/**
 * Suggests a known word for a misspelled one, for error messages.
 *
 * @returns the nearest of `known` by edit distance, or undefined when none is near.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxWordLength) return undefined
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance)
    // Two edits in four letters are too many, unless the first letter is the same: "fast" is not "host", but "taks"
    // is "task".
    const isFar = distance * 2 >= word.length && word[0]?.toLowerCase() !== candidate[0]?.toLowerCase()
    if (distance < bestDistance && !isFar) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** ` Did you mean "x"?` with a leading space, or an empty string. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean "${meant}"?`
}

/** Says which words are valid in place of a value. */
export function noneOf(found: unknown, words: readonly unknown[]): string {
  const known = [...new Set(words)].map(String)
  const hint = typeof found === 'string' ? didYouMean(found, known) : ''
  return known.length === 1 ? `must be ${known[0]}` : `must be one of ${known.join(', ')}.${hint}`
}

/** Beyond this, the suggestion alone is more helpful than the list. */
const maxListed = 10

/**
 * {@link didYouMean}, followed by the known words after `label`: all of them without a suggestion, only a short list
 * with one.
 */
export function suggestKnown(word: string, known: readonly string[], label: string): string {
  const hint = didYouMean(word, known)
  return hint !== '' && known.length > maxListed ? hint : `${hint} ${label}: ${known.join(', ')}`
}

/** The Levenshtein distance. Stops at `limit`, to bound the cost for long texts. */
export function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const change = one[row - 1] === other[column - 1] ? 0 : 1
      current.push(Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + change))
    }
    above = current
  }
  return above[other.length]!
}
