import type { WorkBudget } from '../../engine/work-budget.ts'
import { anything, characterOf, has, type CharacterSet } from './character-set.ts'
import { parsePattern, PatternRefused, type Alternative, type PatternTree } from './pattern-parse.ts'
import { schemaWork } from '../json-schema/refuse.ts'

/** A regular expression that can match texts and write them, both in bounded time. */
export interface Pattern {
  /**
   * Whether the text contains a match. Takes linear time.
   * @throws {WorkRefused} when the budget runs out, as `draw` does.
   */
  fits(text: string, work: WorkBudget): boolean
  /**
   * Draws a text that contains a match.
   * @param length the allowed numbers of code points.
   * @param unit draws a number in [0, 1) for a key.
   * @returns undefined if no text of such a length fits.
   */
  draw(
    length: { min: number; max: number },
    unit: (key: string) => number,
    work: WorkBudget,
  ): string | undefined
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
}

const maxPlaces = 1_000
const maxSteps = 60_000

/** The work units of following a link between two places, of visiting a place, and of writing a character. */
const linkWork = 0.15
const placeWork = 0.05
const writeWork = 2

/**
 * @throws {PatternRefused} with the unsupported part, or if the pattern is too large.
 * @throws {WorkRefused} when the budget runs out.
 */
export function compilePattern(source: string, work: WorkBudget): Pattern {
  work.spend(source.length * 0.5, schemaWork)
  const alternatives = parsePattern(source)
  const tight = walkOf(alternatives, false, work)
  const loose = alternatives.every(({ fromStart, toEnd }) => fromStart && toEnd)
    ? tight
    : walkOf(alternatives, true, work)
  return {
    fits: (text, budget) => fitsWalk(loose, text, budget),
    draw: (length, unit, budget) =>
      drawWalk(tight, length, unit, budget) ?? drawWalk(loose, length, unit, budget),
  }
}

/** @param around whether other characters may surround a part without an anchor. */
function walkOf(alternatives: readonly Alternative[], around: boolean, work: WorkBudget): Walk {
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
    work.spend(from.length * to.length * linkWork, schemaWork)
    if (steps > maxSteps) throw new PatternRefused('it has too many repetitions inside each other')
    for (const place of from) for (const follower of to) next[place]!.add(follower)
  }

  function join(one: Piece, other: Piece): Piece {
    link(one.last, other.first)
    const all = one.first.length + other.first.length + one.last.length + other.last.length
    work.spend(all * placeWork, schemaWork)
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
  return { sets, next, first: new Set(first), last: new Set(last), empty }
}

function fitsWalk(walk: Walk, text: string, work: WorkBudget): boolean {
  let reachable: ReadonlySet<number> = walk.first
  let here = new Set<number>()
  let read = false
  for (const character of text) {
    const code = character.codePointAt(0)!
    here = new Set()
    let links = reachable.size
    for (const place of reachable) if (has(walk.sets[place]!, code)) here.add(place)
    if (here.size === 0) return false
    const ahead = new Set<number>()
    for (const place of here) {
      links += walk.next[place]!.size
      for (const follower of walk.next[place]!) ahead.add(follower)
    }
    work.spend(1 + links * linkWork, schemaWork)
    reachable = ahead
    read = true
  }
  if (!read) return walk.empty
  for (const place of here) if (walk.last.has(place)) return true
  return false
}

function drawWalk(
  walk: Walk,
  { min, max }: { min: number; max: number },
  unit: (key: string) => number,
  work: WorkBudget,
): string | undefined {
  // endings[k]: the places from which a text can end after exactly k further characters.
  const places = [...walk.sets.keys()].filter((place) => walk.sets[place]!.length > 0)
  const steps = Math.max(
    1,
    places.reduce((sum, place) => sum + walk.next[place]!.size, 0),
  )
  const longest = Math.min(max, min + 64 + walk.sets.length, Math.floor(4_000_000 / steps))
  const endings: Uint8Array[] = [Uint8Array.from(walk.sets, (_, place) => (walk.last.has(place) ? 1 : 0))]
  const possible: number[] = walk.empty && min === 0 ? [0] : []
  for (let length = 1; length <= longest && possible.length < 16; length++) {
    work.spend(0.5 + places.length * placeWork + steps * placeWork, schemaWork)
    const ending = endings[length - 1]!
    const starts = places.some((place) => ending[place] === 1 && walk.first.has(place))
    if (length >= min && starts) possible.push(length)
    const longer = new Uint8Array(walk.sets.length)
    for (const place of places) {
      for (const follower of walk.next[place]!) {
        if (ending[follower] === 1 && walk.sets[follower]!.length > 0) longer[place] = 1
      }
    }
    endings.push(longer)
  }
  if (possible.length === 0) return undefined
  const wanted = possible[Math.floor(unit('length') * possible.length)]!
  let text = ''
  let from: ReadonlySet<number> = walk.first
  for (let left = wanted - 1; left >= 0; left--) {
    work.spend(writeWork + from.size * placeWork, schemaWork)
    const open = [...from].filter((place) => endings[left]![place] === 1 && walk.sets[place]!.length > 0)
    const place = open[Math.floor(unit(`place/${left}`) * open.length)]!
    text += characterOf(walk.sets[place]!, unit(`character/${left}`))
    from = walk.next[place]!
  }
  return text
}
