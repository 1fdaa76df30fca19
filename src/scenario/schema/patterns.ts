/** Of a longer text, only the start is matched. */
export const maxMatchedCharacters = 10_000

const known = new Map<string, RegExp>()

/**
 * Whether a text matches a pattern.
 * @throws {Error} for an invalid pattern.
 */
export function fitsPattern(source: string, text: string, flags = ''): boolean {
  const key = `${flags}/${source}`
  let pattern = known.get(key)
  if (!pattern) {
    pattern = new RegExp(source, flags)
    if (known.size >= 1_000) known.clear()
    known.set(key, pattern)
  }
  return pattern.test(text.slice(0, maxMatchedCharacters))
}

/** Why a regular expression is invalid; undefined if it is valid. */
export function patternProblem(source: string, flags = ''): string | undefined {
  try {
    new RegExp(source, flags)
    return undefined
  } catch (error) {
    return `it can't be read: ${(error as Error).message}`
  }
}
