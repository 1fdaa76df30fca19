/** A regular expression that takes time in proportion to the text, whatever it says. */
export interface Pattern {
  /** How many steps it has with its repeats written out: for each character of a text, so many may be tried. */
  readonly size: number
  test(text: string): boolean
}

/** So many steps are tried with one text; of a text for which that is too few, the beginning. */
export const maxPatternSteps = 2_000_000

type Compile = (source: string, flags: string) => Pattern

let compile: Compile | undefined

/** Whether {@link loadPatterns} still has to be awaited before patterns can be tried. */
export function patternsAreMissing(): boolean {
  return compile === undefined
}

/** Loads the engine. It is only wanted by rules that have patterns. */
export async function loadPatterns(): Promise<void> {
  if (compile) return
  const { RE2JS } = await import('re2js')
  compile = (source, flags) => {
    const pattern = RE2JS.compile(source, flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0)
    const size = Math.max(1, pattern.programSize())
    const most = Math.ceil(maxPatternSteps / size)
    return { size, test: (text) => pattern.matcher(text.length > most ? text.slice(0, most) : text).find() }
  }
}

const known = new Map<string, Pattern>()

/**
 * A pattern by its source, compiled once.
 * @throws {Error} for a source that is none, or that asks for what can't be found in linear time; and before the
 * engine was loaded.
 */
export function patternOf(source: string, flags = ''): Pattern {
  if (!compile) throw new Error('Failed to try a regular expression: its engine is not loaded yet.')
  const key = `${flags}/${source}`
  let pattern = known.get(key)
  if (!pattern) {
    pattern = compile(source, flags)
    if (known.size >= 1_000) known.clear()
    known.set(key, pattern)
  }
  return pattern
}

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
