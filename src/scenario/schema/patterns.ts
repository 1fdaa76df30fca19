/** A regular expression that runs in linear time. */
interface LinearPattern {
  /** The number of steps with all repeats expanded: as many are tried per character at most. */
  readonly size: number
  test(text: string): boolean
}

/** The maximum number of steps for one text. Of a longer text, only the start is matched. */
export const maxPatternSteps = 2_000_000

type Compile = (source: string, flags: string) => LinearPattern

let compile: Compile | undefined

/** Whether {@link loadPatterns} must be awaited before patterns can be used. */
export function patternsAreMissing(): boolean {
  return compile === undefined
}

/** Loads the engine, which only rules with patterns need. */
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

const known = new Map<string, LinearPattern>()

/**
 * Returns a compiled pattern.
 * @throws {Error} for an invalid source, or one that can't run in linear time; and before the engine is loaded.
 */
export function patternOf(source: string, flags = ''): LinearPattern {
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

/** A larger pattern could match only the start of a text, since each character may cost as many steps. */
export const maxPatternSize = 2_000

/** Features that can't run in linear time. */
const beyond: readonly { what: RegExp; name: string }[] = [
  { what: /^\(\?<?[=!]/, name: 'look-around' },
  { what: /^\\(?:[1-9]|k<)/, name: 'a back-reference' },
]

/** Why a regular expression is invalid; undefined if it is valid. If the engine is loaded, compiles it with the engine. */
export function patternProblem(source: string, flags = ''): string | undefined {
  const refused = beyondReach(source)
  if (refused !== undefined) {
    return `it has ${refused}, which can't run in bounded time. Write it without, or use glob, contains or not`
  }
  try {
    if (patternsAreMissing()) {
      new RegExp(source)
      return undefined
    }
    const { size } = patternOf(source, flags)
    if (size <= maxPatternSize) return undefined
    return `it has ${size} steps with its repeats expanded, more than ${maxPatternSize}. Repeat less`
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
