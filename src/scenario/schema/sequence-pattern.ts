import { didYouMean } from '../../engine/did-you-mean.ts'
import { recognizeCopies } from '../../engine/shared-error.ts'
import { knownOperations } from './known-names.ts'

/**
 * A regular expression whose letters are words: `submit poll+ (content | image)?`. It is matched by following all states at
 * once, so no pattern is slow.
 */
export interface SequencePattern {
  readonly source: string
  /** The words in it, duplicates included. */
  readonly words: readonly string[]
  /** The initial states. */
  readonly start: ReadonlySet<number>
  /** The states that follow a request; empty if it doesn't match. The request may have several of the words. */
  readonly next: (states: ReadonlySet<number>, words: readonly string[]) => ReadonlySet<number>
  readonly isWhole: (states: ReadonlySet<number>) => boolean
  /** The words that would have matched in these states. */
  readonly expected: (states: ReadonlySet<number>) => string[]
}

/**
 * Thrown for an invalid sequence. The message says what is wrong with it.
 *
 * @example
 * sim.watch({ sequence: 'submit (poll+ content' }) // throws PatternError: "submit (poll+ content": a bracket is not closed. …
 */
export class PatternError extends Error {
  static {
    recognizeCopies(this, 'PatternError')
  }

  override name = 'PatternError'
}

const longest = 1_000

/** A state of the machine. A word leads to the next state, or several states follow without a word, or it is the last. */
interface Place {
  word?: string
  ways: number[]
}

/**
 * Reads a sequence.
 *
 * @param source words, with `+`, `*`, `?` after them, `|` between them, and brackets around them.
 * @throws {PatternError} for anything else.
 */
export function readPattern(source: string): SequencePattern {
  if (source.length > longest) throw new PatternError(`it is longer than ${longest} characters`)
  const tokens = source.match(/[a-z][a-z0-9-]*|\S/gi) ?? []
  const places: Place[] = []
  const last = new Reader(source, tokens, places).read()

  const reach = (from: Iterable<number>): Set<number> => {
    const reached = new Set<number>()
    const open = [...from]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached.has(at)) continue
      reached.add(at)
      if (places[at]!.word === undefined) open.push(...places[at]!.ways)
    }
    return reached
  }

  return {
    source,
    words: places.flatMap(({ word }) => word ?? []),
    start: reach([last.from]),
    next: (states, words) =>
      reach(
        [...states].filter((at) => words.includes(places[at]!.word ?? '')).flatMap((at) => places[at]!.ways),
      ),
    isWhole: (states) => states.has(last.to),
    expected: (states) => [
      ...new Set([...states].map((at) => places[at]!.word).filter((word) => word !== undefined)),
    ],
  }
}

/** A part of the machine, from its first to its last state. */
interface Piece {
  readonly from: number
  readonly to: number
}

class Reader {
  readonly #source: string
  readonly #tokens: readonly string[]
  readonly #places: Place[]
  #at = 0

  constructor(source: string, tokens: readonly string[], places: Place[]) {
    this.#source = source
    this.#tokens = tokens
    this.#places = places
  }

  read(): Piece {
    const piece = this.#choice()
    if (this.#at < this.#tokens.length) throw this.#wrong(`"${this.#tokens[this.#at]}" doesn't belong there`)
    return piece
  }

  #choice(): Piece {
    const options = [this.#series()]
    while (this.#tokens[this.#at] === '|') {
      this.#at++
      options.push(this.#series())
    }
    if (options.length === 1) return options[0]!
    const to = this.#place([])
    for (const option of options) this.#places[option.to]!.ways.push(to)
    return { from: this.#place(options.map(({ from }) => from)), to }
  }

  #series(): Piece {
    const start = this.#place([])
    let end = start
    for (let token = this.#tokens[this.#at]; token && token !== '|' && token !== ')';) {
      const piece = this.#repeated()
      this.#places[end]!.ways.push(piece.from)
      end = piece.to
      token = this.#tokens[this.#at]
    }
    if (end === start) throw this.#wrong('a word is missing')
    return { from: start, to: end }
  }

  #repeated(): Piece {
    const piece = this.#single()
    const sign = this.#tokens[this.#at]
    if (sign !== '+' && sign !== '*' && sign !== '?') return piece
    this.#at++
    const to = this.#place([])
    const from = this.#place(sign === '+' ? [piece.from] : [piece.from, to])
    this.#places[piece.to]!.ways.push(to, ...(sign === '?' ? [] : [piece.from]))
    return { from, to }
  }

  #single(): Piece {
    const token = this.#tokens[this.#at++]!
    if (token === '(') {
      const piece = this.#choice()
      if (this.#tokens[this.#at++] !== ')') throw this.#wrong('a bracket is not closed')
      return piece
    }
    if (!/^[a-z]/i.test(token)) throw this.#wrong(`"${token}" doesn't belong there`)
    const to = this.#place([])
    this.#places.push({ word: token, ways: [to] })
    return { from: this.#places.length - 1, to }
  }

  #place(ways: number[]): number {
    this.#places.push({ ways })
    return this.#places.length - 1
  }

  #wrong(what: string): PatternError {
    return new PatternError(
      `"${this.#source.slice(0, 100)}": ${what}. Write words with +, *, ?, | and brackets, as in "submit poll+ content"`,
    )
  }
}

/** Why a sequence is invalid: its syntax is wrong, or it contains an unknown word. */
export function sequenceProblem(source: string): string | undefined {
  try {
    const { words } = readPattern(source)
    const knownWords = knownOperations()?.words
    const unknown = words.find((word) => knownWords?.includes(word) === false)
    if (!knownWords || unknown === undefined) return undefined
    const hint = didYouMean(unknown, knownWords)
    return `"${unknown}" is not a word for a request.${hint} Use the last part of an operation, or submit, poll, download, any`
  } catch (error) {
    return (error as Error).message
  }
}
