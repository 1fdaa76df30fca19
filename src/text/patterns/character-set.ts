/** Code points as ranges in ascending order. Both ends are inclusive, and ranges neither touch nor overlap. */
export type CharacterSet = readonly (readonly [number, number])[]

const highest = 0x10ffff

export const digits: CharacterSet = [[0x30, 0x39]]
export const wordCharacters: CharacterSet = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]] // prettier-ignore
export const spaces: CharacterSet = [
  [0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f],
  [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff],
] // prettier-ignore
const lineEnds: CharacterSet = [[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]] // prettier-ignore
/** The characters that `.` matches. */
export const withinLine: CharacterSet = except(lineEnds)
export const anything: CharacterSet = [[0, highest]]

export function union(sets: readonly CharacterSet[]): CharacterSet {
  const ranges = sets.flat().toSorted((one, other) => one[0] - other[0])
  const joined: [number, number][] = []
  for (const [low, high] of ranges) {
    const last = joined.at(-1)
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else joined.push([low, high])
  }
  return joined
}

export function except(set: CharacterSet): CharacterSet {
  const rest: [number, number][] = []
  let from = 0
  for (const [low, high] of set) {
    if (low > from) rest.push([from, low - 1])
    from = high + 1
  }
  if (from <= highest) rest.push([from, highest])
  return rest
}

export function has(set: CharacterSet, codePoint: number): boolean {
  let from = 0
  let to = set.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (set[middle]![1] < codePoint) from = middle + 1
    else to = middle
  }
  return from < set.length && set[from]![0] <= codePoint
}

/** Readable characters, the best first. A character is drawn from the first set that intersects the requested one. */
const preferred: readonly CharacterSet[] = [
  [[0x61, 0x7a]],
  [[0x41, 0x5a]],
  digits,
  [[0x21, 0x7e]],
  [[0x20, 0x20]],
  [[0x4e00, 0x9fff]],
  [[0xa1, 0xd7ff]],
  anything,
]

/**
 * A readable character of the set.
 * @param draw a number in [0, 1).
 */
export function characterOf(set: CharacterSet, draw: number): string {
  const readable = readableOf(set)
  let left = Math.floor(draw * readable.size)
  for (const [low, high] of readable.set) {
    if (left <= high - low) return String.fromCodePoint(low + left)
    left -= high - low + 1
  }
  return ''
}

interface Readable {
  readonly set: CharacterSet
  /** The number of characters in the set. */
  readonly size: number
}

/** A cache, because one pattern draws from the same few sets many times. */
const readables = new WeakMap<CharacterSet, Readable>()

/** The most readable part of a set. */
function readableOf(set: CharacterSet): Readable {
  const known = readables.get(set)
  if (known !== undefined) return known
  // A set that lists digits and letters means both: `[0-9a-f]` should not become letters only.
  const listed = set.length > 1 && set.at(-1)![1] < 0x7f ? [wordCharacters, ...preferred] : preferred
  let found: Readable = { set: [], size: 0 }
  for (const liked of listed) {
    const both = meet(set, liked)
    found = { set: both, size: both.reduce((sum, [low, high]) => sum + high - low + 1, 0) }
    if (found.size > 0) break
  }
  readables.set(set, found)
  return found
}

function meet(one: CharacterSet, other: CharacterSet): CharacterSet {
  const both: [number, number][] = []
  for (const [low, high] of one) {
    for (const [from, to] of other) {
      if (low <= to && from <= high) both.push([Math.max(low, from), Math.min(high, to)])
    }
  }
  // Excludes lone surrogates, which are not characters.
  return both.filter(([low, high]) => !(low >= 0xd800 && high <= 0xdfff))
}
