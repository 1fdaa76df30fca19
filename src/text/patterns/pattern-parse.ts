import {
  digits,
  except,
  spaces,
  union,
  withinLine,
  wordCharacters,
  type CharacterSet,
} from './character-set.ts'

/** A regular expression as a tree. */
export type PatternTree =
  | { kind: 'set'; set: CharacterSet }
  | { kind: 'sequence'; parts: readonly PatternTree[] }
  | { kind: 'choice'; parts: readonly PatternTree[] }
  | { kind: 'repeat'; part: PatternTree; atLeast: number; atMost: number }

/** One of the alternatives at the top level, with its anchors. */
export interface Alternative {
  tree: PatternTree
  fromStart: boolean
  toEnd: boolean
}

/** Thrown for a pattern from which no text can be written. The message names the unsupported part. */
export class PatternRefused extends Error {
  override name = 'PatternRefused'
}

const shorthand: Readonly<Record<string, CharacterSet>> = {
  d: digits,
  D: except(digits),
  w: wordCharacters,
  W: except(wordCharacters),
  s: spaces,
  S: except(spaces),
}
const control: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 }
const letters: CharacterSet = [[0x41, 0x5a], [0x61, 0x7a], [0xc0, 0xd6], [0xd8, 0xf6], [0xf8, 0x17f]] // prettier-ignore
const properties: Readonly<Record<string, CharacterSet>> = {
  L: letters,
  Letter: letters,
  Alphabetic: letters,
  Lu: [[0x41, 0x5a]],
  Uppercase_Letter: [[0x41, 0x5a]],
  Ll: [[0x61, 0x7a]],
  Lowercase_Letter: [[0x61, 0x7a]],
  N: digits,
  Nd: digits,
  Number: digits,
}

export const maxPatternLength = 2_000
const deepestPattern = 50

/**
 * Parses the regular expressions from which a text can be written without backtracking: sets, groups, alternatives,
 * repetition, and `^` and `$` at the ends. Of `\p{…}`, it supports letters and digits, in Latin script.
 * @throws {PatternRefused} for all others, and for an invalid regular expression.
 */
export function parsePattern(source: string): readonly Alternative[] {
  const characters = [...source]
  let at = 0

  const peek = (): string | undefined => characters[at]
  const take = (expected: string): boolean => {
    if (!characters.slice(at, at + expected.length).join('').startsWith(expected)) return false // prettier-ignore
    at += expected.length
    return true
  }

  function choice(depth: number): PatternTree {
    if (depth > deepestPattern) throw new PatternRefused('its groups are nested too deep')
    const parts = [sequence(depth)]
    while (take('|')) parts.push(sequence(depth))
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }

  function sequence(depth: number): PatternTree {
    const parts: PatternTree[] = []
    while (at < characters.length && peek() !== '|' && peek() !== ')') {
      if (depth === 0 && peek() === '$' && [undefined, '|'].includes(characters[at + 1])) break
      parts.push(repeated(atom(depth)))
    }
    return { kind: 'sequence', parts }
  }

  function repeated(part: PatternTree): PatternTree {
    const bounds = quantifier()
    if (bounds === undefined) return part
    take('?')
    const [atLeast, atMost] = bounds
    if (atMost < atLeast) throw new PatternRefused(`{${atLeast},${atMost}} has its larger bound first`)
    return { kind: 'repeat', part, atLeast, atMost }
  }

  function quantifier(): [number, number] | undefined {
    if (take('*')) return [0, Infinity]
    if (take('+')) return [1, Infinity]
    if (take('?')) return [0, 1]
    const [whole, least, comma, most] =
      /^\{(\d{1,6})(,?)(\d{0,6})\}/.exec(characters.slice(at, at + 16).join('')) ?? []
    if (whole === undefined) return undefined
    at += whole.length
    if (comma === '') return [Number(least), Number(least)]
    return [Number(least), most === '' ? Infinity : Number(most)]
  }

  function atom(depth: number): PatternTree {
    const character = characters[at++]!
    if (character === '(') return group(depth)
    if (character === '[') return { kind: 'set', set: bracket() }
    if (character === '.') return { kind: 'set', set: withinLine }
    if (character === '\\') return { kind: 'set', set: escape(false) }
    if (character === '^' || character === '$') {
      throw new PatternRefused(`"${character}" is in the middle of it: put it at an end`)
    }
    if ('*+?'.includes(character))
      throw new PatternRefused(`there is nothing before "${character}" to repeat`)
    return { kind: 'set', set: [[character.codePointAt(0)!, character.codePointAt(0)!]] }
  }

  function group(depth: number): PatternTree {
    if (take('?')) {
      const named = /^<[A-Za-z_$][\w$]*>/.exec(characters.slice(at, at + 60).join(''))
      if (named !== null) at += named[0].length
      else if (!take(':')) throw new PatternRefused('it looks ahead or behind, which greenroom does not do')
    }
    const inner = choice(depth + 1)
    if (!take(')')) throw new PatternRefused('a group is not closed')
    return inner
  }

  function bracket(): CharacterSet {
    const negated = take('^')
    const sets: CharacterSet[] = []
    while (peek() !== ']') {
      if (at >= characters.length) throw new PatternRefused('a set is not closed')
      const low = member()
      const isRange = peek() === '-' && characters[at + 1] !== ']' && characters[at + 1] !== undefined
      if (!isRange) {
        sets.push(low)
        continue
      }
      at++
      const high = member()
      const [from, to] = [low[0]?.[0] ?? 1, high[0]?.[0] ?? 0]
      if (low.length !== 1 || low[0]![1] !== from || to < from) {
        throw new PatternRefused('a range in a set has its ends in the wrong order')
      }
      sets.push([[from, to]])
    }
    at++
    const set = union(sets)
    return negated ? except(set) : set
  }

  function member(): CharacterSet {
    const character = characters[at++]!
    if (character === '\\') return escape(true)
    return [[character.codePointAt(0)!, character.codePointAt(0)!]]
  }

  function escape(inSet: boolean): CharacterSet {
    const letter = characters[at++]
    if (letter === undefined) throw new PatternRefused('it ends with a backslash')
    if (shorthand[letter] !== undefined) return shorthand[letter]
    if (control[letter] !== undefined) return [[control[letter], control[letter]]]
    if (inSet && letter === 'b') return [[8, 8]]
    const rest = characters.slice(at, at + 40).join('')
    if (letter === 'p' || letter === 'P') {
      const [whole, name = ''] = /^\{([A-Za-z_]+)\}/.exec(rest) ?? []
      const set = properties[name]
      if (whole === undefined || set === undefined) {
        throw new PatternRefused(
          `\\${letter}${whole ?? ''} is not one of the properties it knows: L, Lu, Ll, N`,
        )
      }
      at += whole.length
      return letter === 'p' ? set : except(set)
    }
    const [whole, hex, braced] =
      (letter === 'u' ? /^(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})/.exec(rest) : null) ??
      (letter === 'x' ? /^([0-9a-fA-F]{2})/.exec(rest) : null) ??
      []
    if (whole !== undefined) {
      at += whole.length
      const code = Number.parseInt(hex ?? braced!, 16)
      if (code > 0x10ffff) throw new PatternRefused(`\\u{${braced}} is not a character`)
      return [[code, code]]
    }
    if (/[A-Za-z0-9]/.test(letter)) {
      throw new PatternRefused(`\\${letter} is not an escape that greenroom can write from`)
    }
    return [[letter.codePointAt(0)!, letter.codePointAt(0)!]]
  }

  const alternatives: Alternative[] = []
  do {
    const fromStart = take('^')
    const tree = sequence(0)
    alternatives.push({ tree, fromStart, toEnd: take('$') })
  } while (take('|'))
  if (at < characters.length) throw new PatternRefused('a bracket is closed that was not opened')
  return alternatives
}
