import type { Position } from '../error.ts'

/** The position of a value in a program: the offsets of its key and of the value, and the positions inside it. */
interface Place {
  readonly key: number
  readonly value: number
  readonly inside: ReadonlyMap<string, Place> | undefined
}

/** Matches texts, comments, brackets and separators. */
const token =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*.*?\*\/|\.\.\.|[\p{L}\p{N}_$]+|[^\s]/gsu

interface Token {
  readonly text: string
  readonly offset: number
}

/** The tokens of a program, and how many more may be read, since nested groups are read repeatedly. */
interface Source {
  readonly tokens: readonly Token[]
  left: number
}

/** Values that are nested more deeply have no positions. */
const maxDepth = 100
const maxReads = 1_000_000

/**
 * Finds the positions of values in the TypeScript or JavaScript file that exports a scenario or config. Nothing is run. A
 * computed value has the position of its expression. A value that can't be found has no position.
 *
 * @param value the exported value. Of several literals, the one that has most of its keys is chosen.
 */
export function literalPlaces(
  file: string,
  text: string,
  value: object,
): (place: readonly PropertyKey[], isKey?: boolean) => Position {
  const exported = findLiteral(text, Object.keys(value))
  return (place, isKey = false) => {
    let inside = exported
    let offset: number | undefined
    for (const [depth, step] of place.entries()) {
      const found = inside?.get(String(step))
      if (!found) break
      offset = isKey && depth === place.length - 1 ? found.key : found.value
      inside = found.inside
    }
    if (offset === undefined) return { file }
    const before = text.slice(0, offset).split('\n')
    return { file, line: before.length, column: before.at(-1)!.length + 1 }
  }
}

/** The outermost literal with most of these keys; undefined if none has any, or two have equally many. */
function findLiteral(text: string, keys: readonly string[]): ReadonlyMap<string, Place> | undefined {
  const source: Source = { tokens: tokensOf(text), left: maxReads }
  const { tokens } = source
  let best: ReadonlyMap<string, Place> | undefined
  let [most, isShared] = [0, false]
  for (let at = 0; at < tokens.length && source.left > 0;) {
    if (tokens[at]!.text !== '{') {
      at++
      continue
    }
    const { inside, end } = readGroup(source, at, 0)
    const count = keys.filter((key) => inside.has(key)).length
    if (count > 0 && count === most) isShared = true
    if (count > most) [best, most, isShared] = [inside, count, false]
    // A function may return the literal, so its body is searched too.
    at = count > 0 ? end : at + 1
  }
  return isShared ? undefined : best
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: each, index } of text.matchAll(token))
    if (!each.startsWith('//') && !each.startsWith('/*')) tokens.push({ text: each, offset: index })
  return tokens
}

/** Reads an object, a list or an expression in parentheses, up to its closing bracket. */
function readGroup(
  source: Source,
  start: number,
  depth: number,
): { inside: ReadonlyMap<string, Place>; end: number } {
  const { tokens } = source
  const inside = new Map<string, Place>()
  const isList = tokens[start]!.text === '['
  let at = start + 1
  for (let index = 0; at < tokens.length && source.left > 0 && !isClosing(tokens[at]!); index++) {
    const { text, offset } = tokens[at]!
    // The indexes after a spread are unknown.
    if (isList && text === '...') index = Infinity
    const hasKey = !isList && tokens[at + 1]?.text === ':'
    if (hasKey) at += 2
    const first = tokens[at]
    let nested: ReadonlyMap<string, Place> | undefined
    for (const begin = at; at < tokens.length && source.left-- > 0; at++) {
      if (isClosing(tokens[at]!) || tokens[at]!.text === ',') break
      if (!isOpening(tokens[at]!) || depth > maxDepth) continue
      const group = readGroup(source, at, depth + 1)
      if (at === begin && tokens[at]!.text !== '(') nested = group.inside
      at = group.end - 1
    }
    const name = isList ? String(index) : text.replaceAll(/^["']|["']$/g, '')
    inside.set(name, { key: offset, value: first?.offset ?? offset, inside: nested })
    if (tokens[at]?.text === ',') at++
  }
  return { inside, end: at + 1 }
}

const isOpening = ({ text }: Token): boolean => text === '{' || text === '[' || text === '('
const isClosing = ({ text }: Token): boolean => text === '}' || text === ']' || text === ')'
