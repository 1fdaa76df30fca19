/** Nobody means a known word by a longer one. */
const maxWordLength = 300

/**
 * The known word that was probably meant, for error messages.
 *
 * @returns the nearest of `known` by edit distance, or undefined when none is near.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxWordLength) return undefined
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** ` Did you mean "x"?` with its leading blank, or an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean "${meant}"?`
}

/** Levenshtein's distance; gives up at `limit`, so that a long text costs nothing. */
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
