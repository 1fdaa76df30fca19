/** Of what kind a character is, as a number: tokens are made of one kind. */
export const kinds = { letter: 0, digit: 1, blank: 2, sign: 3, emoji: 4 } as const
export const heaviest = 10
/** How much of a kind one token takes. */
export const maxRun: readonly number[] = [heaviest, 3, 16, 4, 1]

const encoder = new TextEncoder()
const scratch = new Uint8Array(4_096)

/**
 * The first tokens of a text of ASCII, as most are; undefined for any other. Bytes are looked at far quicker than the
 * characters of a text, and each of these is a byte.
 *
 * @returns how many there are, and where the last of them ends.
 */
export function firstPlainTokens(text: string, most: number): { count: number; end: number } | undefined {
  const { length } = text
  if (length === 0) return { count: 0, end: 0 }
  const bytes = length <= scratch.length ? scratch : new Uint8Array(length)
  const { read, written } = encoder.encodeInto(text, bytes)
  if (read !== length || written !== length) return undefined
  const enough = Math.min(most, length)
  let count = 0
  let end = 0
  for (; end < length && count < enough; count++) end = tokenEnd(bytes, end, length)
  return { count, end }
}

function tokenEnd(bytes: Uint8Array, start: number, length: number): number {
  // A single blank belongs to the word after it.
  const at = isBlankBeforeWord(bytes, start, length) ? start + 1 : start
  const kind = plainKinds[bytes[at]!]
  if (kind === kinds.blank) return blankEnd(bytes, at, length)
  const most = Math.min(length, at + maxRun[kind!]!)
  let end = at + 1
  while (end < most && plainKinds[bytes[end]!] === kind) end++
  return end
}

function blankEnd(bytes: Uint8Array, start: number, length: number): number {
  let end = start
  for (let weight = 0; weight < maxRun[kinds.blank]! && end < length; weight++) {
    if (plainKinds[bytes[end]!] !== kinds.blank) return end
    // The last blank before a word goes with the word.
    if (weight > 0 && isBlankBeforeWord(bytes, end, length)) return end
    end += bytes[end] === 13 && end + 1 < length && bytes[end + 1] === 10 ? 2 : 1
  }
  return end
}

function isBlankBeforeWord(bytes: Uint8Array, at: number, length: number): boolean {
  return bytes[at] === 0x20 && at + 1 < length && plainKinds[bytes[at + 1]!]! <= kinds.digit
}

/** The kind of each character of ASCII. */
const plainKinds = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/i.test(character)) return kinds.letter
  if (/\d/.test(character)) return kinds.digit
  return /\s/.test(character) ? kinds.blank : kinds.sign
})
