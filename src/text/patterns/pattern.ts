import { anything, characterOf, has, type CharacterSet } from './character-set.ts'
import { parsePattern, PatternRefused, type Alternative, type PatternTree } from './pattern-parse.ts'

/** A regular expression that can match texts and write them, both in bounded time. */
export interface Pattern {
  /** Its size: how many places can follow each other. */
  readonly links: number
  /**
   * Whether the text contains a match. Takes linear time.
   */
  fits(text: string): boolean
  /**
   * Draws a text that contains a match.
   * @param length the allowed numbers of code points.
   * @param unit draws a number in [0, 1) for a key.
   * @returns undefined if no text of such a length fits.
   */
  draw(length: { min: number; max: number }, unit: (key: string) => number): string | undefined
}

/**
 * A pattern as a machine (Glushkov's construction): its states are the places of the expression where a character is read.
 * A text matches if a walk along `next` reads it. The possible ends of a walk of a certain length are found by counting
 * back from the last places, so nothing is tried twice.
 */
interface Walk {
  readonly sets: readonly CharacterSet[]
  readonly next: readonly ReadonlySet<number>[]
  readonly first: ReadonlySet<number>
  readonly last: ReadonlySet<number>
  readonly empty: boolean
  /** How many links checks have followed. */
  followed: number
  /** Memoized, by the least and the greatest length. */
  readonly endings: Map<string, Endings>
}

const maxPlaces = 1_000
const maxSteps = 60_000

/**
 * @throws {PatternRefused} with the unsupported part, or if the pattern is too large.
 */
export function compilePattern(source: string): Pattern {
  const alternatives = parsePattern(source)
  const tight = walkOf(alternatives, false)
  const loose = alternatives.every(({ fromStart, toEnd }) => fromStart && toEnd)
    ? tight
    : walkOf(alternatives, true)
  return {
    links: tight.next.reduce((sum, { size }) => sum + size, 0),
    fits: (text) => fitsWalk(loose, text),
    draw: (length, unit) => drawWalk(tight, length, unit) ?? drawWalk(loose, length, unit),
  }
}

/** @param around whether other characters may surround a part without an anchor. */
function walkOf(alternatives: readonly Alternative[], around: boolean): Walk {
  const any: PatternTree = {
    kind: 'repeat',
    part: { kind: 'set', set: anything },
    atLeast: 0,
    atMost: Infinity,
  }
  const parts = alternatives.map(({ tree, fromStart, toEnd }): PatternTree => {
    const before = around && !fromStart ? [any] : []
    const after = around && !toEnd ? [any] : []
    return { kind: 'sequence', parts: [...before, tree, ...after] }
  })
  const sets: CharacterSet[] = []
  const next: Set<number>[] = []
  let steps = 0

  interface Piece {
    first: readonly number[]
    last: readonly number[]
    empty: boolean
  }
  const nothing: Piece = { first: [], last: [], empty: true }

  function link(from: readonly number[], to: readonly number[]): void {
    steps += from.length * to.length
    if (steps > maxSteps) throw new PatternRefused('it has too many repetitions inside each other')
    for (const place of from) for (const follower of to) next[place]!.add(follower)
  }

  function join(one: Piece, other: Piece): Piece {
    link(one.last, other.first)
    return {
      first: one.empty ? [...one.first, ...other.first] : one.first,
      last: other.empty ? [...one.last, ...other.last] : other.last,
      empty: one.empty && other.empty,
    }
  }

  function piece(tree: PatternTree): Piece {
    if (tree.kind === 'set') {
      if (sets.length === maxPlaces)
        throw new PatternRefused(`it stands for more than ${maxPlaces} characters`)
      next.push(new Set())
      const place = sets.push(tree.set) - 1
      return { first: [place], last: [place], empty: false }
    }
    if (tree.kind === 'sequence') return tree.parts.map(piece).reduce(join, nothing)
    if (tree.kind === 'choice') {
      const pieces = tree.parts.map(piece)
      return {
        first: pieces.flatMap(({ first }) => first),
        last: pieces.flatMap(({ last }) => last),
        empty: pieces.some(({ empty }) => empty),
      }
    }
    return repeat(tree)
  }

  function repeat({ part, atLeast, atMost }: PatternTree & { kind: 'repeat' }): Piece {
    let whole = nothing
    // The required copies, followed by a loop or the optional copies.
    const copies = atMost === Infinity ? Math.max(atLeast, 1) : atMost
    if (copies > maxPlaces) throw new PatternRefused(`it repeats something more than ${maxPlaces} times`)
    for (let copy = 0; copy < copies; copy++) {
      const each = piece(part)
      if (atMost === Infinity && copy === copies - 1) link(each.last, each.first)
      whole = join(whole, copy < atLeast ? each : { ...each, empty: true })
    }
    return whole
  }

  const { first, last, empty } = piece({ kind: 'choice', parts })
  return { sets, next, first: new Set(first), last: new Set(last), empty, followed: 0, endings: new Map() }
}

/** How many links the checks of one pattern may follow. After that, every text counts as a match. */
const maxFollowed = 1_000_000

function fitsWalk(walk: Walk, text: string): boolean {
  let reachable: ReadonlySet<number> = walk.first
  let here = new Set<number>()
  let read = false
  for (const character of text) {
    const code = character.codePointAt(0)!
    if (walk.followed > maxFollowed) return true
    here = new Set()
    walk.followed += reachable.size
    for (const place of reachable) if (has(walk.sets[place]!, code)) here.add(place)
    if (here.size === 0) return false
    const ahead = new Set<number>()
    for (const place of here) {
      walk.followed += walk.next[place]!.size
      for (const follower of walk.next[place]!) ahead.add(follower)
    }
    reachable = ahead
    read = true
  }
  if (!read) return walk.empty
  for (const place of here) if (walk.last.has(place)) return true
  return false
}

/** The lengths of some texts that fit, and from which places a text can end after exactly `k` further characters. */
interface Endings {
  readonly lengths: readonly number[]
  readonly after: readonly Uint8Array[]
}

function endingsOf(walk: Walk, min: number, max: number): Endings {
  const key = `${min}-${max}`
  const known = walk.endings.get(key) ?? findEndings(walk, min, max)
  walk.endings.set(key, known)
  return known
}

function findEndings({ sets, next, first, last, empty }: Walk, min: number, max: number): Endings {
  const places = [...sets.keys()].filter((place) => sets[place]!.length > 0)
  const steps = places.reduce((sum, place) => sum + next[place]!.size, 1)
  const longest = Math.min(max, min + 64 + sets.length, Math.floor(4_000_000 / steps))
  const after: Uint8Array[] = [Uint8Array.from(sets, (_, place) => (last.has(place) ? 1 : 0))]
  const lengths: number[] = empty && min === 0 ? [0] : []
  for (let length = 1; length <= longest && lengths.length < 16; length++) {
    const ending = after[length - 1]!
    if (length >= min && places.some((place) => ending[place] === 1 && first.has(place))) lengths.push(length)
    const longer = new Uint8Array(sets.length)
    for (const place of places) {
      for (const follower of next[place]!) {
        if (ending[follower] === 1 && sets[follower]!.length > 0) longer[place] = 1
      }
    }
    after.push(longer)
  }
  return { lengths, after }
}

function drawWalk(
  walk: Walk,
  { min, max }: { min: number; max: number },
  unit: (key: string) => number,
): string | undefined {
  const { lengths, after } = endingsOf(walk, min, max)
  if (lengths.length === 0) return undefined
  const wanted = lengths[Math.floor(unit('length') * lengths.length)]!
  let text = ''
  let from: ReadonlySet<number> = walk.first
  for (let left = wanted - 1; left >= 0; left--) {
    const open = [...from].filter((place) => after[left]![place] === 1 && walk.sets[place]!.length > 0)
    const place = open[Math.floor(unit(`place/${left}`) * open.length)]!
    text += characterOf(walk.sets[place]!, unit(`character/${left}`))
    from = walk.next[place]!
  }
  return text
}
