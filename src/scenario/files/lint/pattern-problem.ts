import { patternOf, patternsAreMissing } from '../../rules/match/patterns.ts'

/** Larger ones would look at the beginning of a text only, since each character may cost as many steps. */
export const maxPatternSize = 2_000

/** What can't be found in time proportional to the text. */
const beyond: readonly { what: RegExp; name: string }[] = [
  { what: /^\(\?<?[=!]/, name: 'look-around' },
  { what: /^\\(?:[1-9]|k<)/, name: 'a back-reference' },
]

/**
 * What is wrong with a regular expression; undefined when nothing is. It is tried in the engine that will use it, if that
 * was loaded already.
 */
export function patternProblem(source: string, flags = ''): string | undefined {
  const refused = beyondReach(source)
  if (refused !== undefined) {
    return `it has ${refused}, which can't be found in bounded time. Write it without, or use glob, contains or not`
  }
  try {
    if (patternsAreMissing()) {
      new RegExp(source)
      return undefined
    }
    const { size } = patternOf(source, flags)
    if (size <= maxPatternSize) return undefined
    return `it has ${size} steps with its repeats written out, at most ${maxPatternSize} are taken. Repeat less`
  } catch (error) {
    return `it can't be read: ${(error as Error).message}`
  }
}

function beyondReach(source: string): string | undefined {
  let isInClass = false
  for (let at = 0; at < source.length; at++) {
    const rest = source.slice(at, at + 5)
    if (rest.startsWith('[')) isInClass = true
    if (rest.startsWith(']')) isInClass = false
    const found = isInClass ? undefined : beyond.find(({ what }) => what.test(rest))
    if (found) return found.name
    if (rest.startsWith('\\')) at++
  }
  return undefined
}
