import type { Medium, PromptTokens, TextRequest, TurnPart } from './spec.ts'

/** The kinds of characters. All characters of a token have one kind. */
const kinds = { letter: 0, digit: 1, blank: 2, sign: 3, emoji: 4 } as const
const heaviest = 10
/** The maximum weight of a token, by kind. */
const maxRun: readonly number[] = [heaviest, 3, 16, 4, 1]

const ascii = /^[\0-\x7f]*$/
/** The same rules for ASCII, ten times as fast as going through the characters. */
const asciiToken = / ?[A-Za-z]{1,10}| ?\d{1,3}|[^\sA-Za-z\d]{1,4}|(?:(?! [A-Za-z\d])(?:\r\n|\s)){1,16}/g

/**
 * Splits a text into tokens by rule instead of by a vendor's table: tables have megabytes, and each model has another.
 *
 * A token is a run of letters with the blank before it (weight 10 at most: an ASCII letter weighs 1, a letter of another
 * alphabet 2, an ideograph, a syllable or an emoji 10), a run of up to three digits, of up to four symbols, or of blanks.
 * English has some four characters per token, Chinese one. Marks, joiners and the second half of a surrogate pair stay with
 * their character, so no token begins in the middle of one.
 *
 * @assumed §2.7 how tokens are counted is undocumented; this approximation, the same for every model and API.
 * @returns pieces that give the text when joined.
 */
export function tokenize(text: string): string[] {
  if (ascii.test(text)) return text.match(asciiToken) ?? []
  const tokens: string[] = []
  for (let at = 0; at < text.length;) {
    const end = tokenEnd(text, at)
    tokens.push(text.slice(at, end))
    at = end
  }
  return tokens
}

/** The grapheme clusters of a text. Joined, they give the text. */
export function charactersOf(text: string): string[] {
  const characters: string[] = []
  for (let at = 0; at < text.length;) {
    const end = characterEnd(text, at)
    characters.push(text.slice(at, end))
    at = end
  }
  return characters
}

/** The words of a text, each with the blanks before it, the last also with those after it. Joined, they give the text. */
export function splitWords(text: string): string[] {
  return text.match(/\s*\S+(?:\s+$)?|^\s+$/g) ?? []
}

/** Counts the tokens of a text without allocating them. */
export function countTokens(text: string): number {
  return firstTokens(text, Infinity).count
}

/** The first tokens of a text, up to `max`: their number, and the end of the last one. */
export function firstTokens(text: string, max: number): { count: number; end: number } {
  return ascii.test(text) ? firstAsciiTokens(text, max) : firstAnyTokens(text, max)
}

function firstAsciiTokens(text: string, max: number): { count: number; end: number } {
  let count = 0
  asciiToken.lastIndex = 0
  while (count < max && asciiToken.test(text)) count++
  return { count, end: count < max ? text.length : asciiToken.lastIndex }
}

function firstAnyTokens(text: string, most: number): { count: number; end: number } {
  let count = 0
  let end = 0
  for (; end < text.length && count < most; count++) end = tokenEnd(text, end)
  return { count, end }
}

/**
 * The tokens of a tile. An image of up to 384 pixels a side is one tile. A larger image has as many tiles of 768 pixels as
 * cover it.
 * @assumed §2.7 tokens of images are undocumented; 258 tokens a tile, as the vendor publishes.
 */
const tokensPerTile = 258
const tilePixels = 768
const smallPixels = 384

/** The tokens of an image. If its size is unknown, those of one tile. */
export function countImageTokens(width?: number, height?: number): number {
  if (width === undefined || height === undefined) return tokensPerTile
  if (width <= smallPixels && height <= smallPixels) return tokensPerTile
  return tokensPerTile * Math.ceil(width / tilePixels) * Math.ceil(height / tilePixels)
}

/**
 * The tokens of a request: system text, turns, and the declarations of its tools.
 */
export function countPromptTokens({ system = '', turns, tools }: TextRequest): PromptTokens {
  let text = countTokens(system)
  let media: PromptTokens['media'] = noMedia
  for (const tool of tools) {
    text += countTokens(tool.name) + countTokens(tool.description ?? '')
    if (tool.parameters !== undefined) text += countTokens(JSON.stringify(tool.parameters.schema) ?? '')
  }
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'image') media = more(media, 'image', countImageTokens(part.width, part.height))
      else if (part.type === 'other') media = more(media, mediumOf(part.mimeType), tokensPerTile)
      else text += countTokens(spoken(part))
    }
  }
  const total = Object.values(media).reduce((sum, tokens) => sum + tokens, text)
  return { text, media, total }
}

const noMedia = {}

function more(media: PromptTokens['media'], medium: Medium, tokens: number): PromptTokens['media'] {
  return { ...media, [medium]: (media[medium] ?? 0) + tokens }
}

/** The medium of a media type; a document if it is not an image, video or sound. */
function mediumOf(mimeType: string): Medium {
  const [, medium] = /^(image|video|audio)\//i.exec(mimeType) ?? []
  return (medium?.toLowerCase() as Medium | undefined) ?? 'document'
}

/** The tokens of a tool call: its name and its arguments as JSON. */
export function countCallTokens(call: { name: string; args: unknown; cut?: string }): number {
  return countTokens(call.name) + countTokens(call.cut ?? JSON.stringify(call.args) ?? '')
}

function spoken(part: TurnPart & { type: 'text' | 'call' | 'result' }): string {
  if (part.type === 'text') return part.text
  const value = part.type === 'call' ? part.args : part.value
  return `${part.name} ${typeof value === 'string' ? value : (JSON.stringify(value) ?? '')}`
}

function tokenEnd(text: string, start: number): number {
  // A single blank belongs to the next word.
  let at = isBlankBeforeWord(text, start) ? start + 1 : start
  const kind = kindAt(text, at)
  let weight = 0
  while (at < text.length) {
    const found = traitsOf(text.codePointAt(at)!)
    if ((found & kindBits) !== kind) break
    const heavier = weight + weightOf(found, kind)
    if (weight > 0 && heavier > maxRun[kind]!) break
    // The last blank before a word belongs to the word.
    if (kind === kinds.blank && weight > 0 && isBlankBeforeWord(text, at)) break
    weight = heavier
    at = characterEnd(text, at)
  }
  return at
}

function isBlankBeforeWord(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x20 && at + 1 < text.length && kindAt(text, at + 1) <= kinds.digit
}

const letter = /[\p{L}\p{M}\p{Nl}]/u
const digit = /\p{Nd}/u
const blank = /\s/u
const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u
const ideograph =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}]/u

const kindBits = 0x07
const pictographBit = 0x08
const ideographBit = 0x10
const foreignBit = 0x20
const extendingBit = 0x40
const knownBit = 0x80

/** A cache of character traits, because regular expressions are slower. The OS doesn't allocate unused pages. */
const traits = new Uint8Array(0x110000)

function traitsOf(code: number): number {
  const known = traits[code]!
  return known === 0 ? foundOut(code) : known
}

function foundOut(code: number): number {
  const character = String.fromCodePoint(code)
  let found = knownBit | kindOf(character)
  if (ideograph.test(character)) found |= ideographBit
  else if (code >= 128) found |= foreignBit
  if (extending.test(character)) found |= extendingBit
  if (pictograph.test(character)) found |= pictographBit
  traits[code] = found
  return found
}

function kindAt(text: string, at: number): number {
  return traitsOf(text.codePointAt(at)!) & kindBits
}

function kindOf(character: string): number {
  if (letter.test(character)) return kinds.letter
  if (digit.test(character)) return kinds.digit
  if (blank.test(character)) return kinds.blank
  return character > '\x7f' && emoji.test(character) ? kinds.emoji : kinds.sign
}

function weightOf(found: number, kind: number): number {
  if (kind !== kinds.letter) return 1
  if ((found & ideographBit) !== 0) return heaviest
  return (found & foreignBit) !== 0 ? 2 : 1
}

const extending = /[\p{M}\p{Emoji_Modifier}\u200c\u{e0020}-\u{e007f}]/u
const pictograph = /\p{Extended_Pictographic}/u
/** Viramas that join the consonant after them. */
const linking: ReadonlySet<number> = new Set([0x094d, 0x09cd, 0x0acd, 0x0b4d, 0x0c4d, 0x0d4d])
const joiner = 0x200d
/** Limits the code points of one character, however many marks it has. */
const maxParts = 64

/** The end of the grapheme cluster that begins at `at`. */
function characterEnd(text: string, at: number): number {
  const first = text.codePointAt(at)!
  let end = at + (first > 0xffff ? 2 : 1)
  const next = text.charCodeAt(end)
  if (first < 128 && (next < 128 || Number.isNaN(next))) return first === 13 && next === 10 ? end + 1 : end
  let before = first
  for (let parts = 1; end < text.length && parts < maxParts; parts++) {
    const code = text.codePointAt(end)!
    if (!belongs(first, before, code, parts)) break
    end += code > 0xffff ? 2 : 1
    before = code
  }
  return end
}

function belongs(first: number, before: number, code: number, parts: number): boolean {
  if (code < 0x300 && before !== joiner) return false
  if (isFlagHalf(first)) return parts === 1 ? isFlagHalf(code) || isExtending(code) : isExtending(code)
  if (isExtending(code)) return first !== 13 && first !== 10
  if (before === joiner) return (traitsOf(code) & pictographBit) !== 0
  if (isJamo(code)) return isJamo(before) || isSyllable(before)
  if (isSyllable(code)) return before >= 0x1100 && before <= 0x115f
  return before < 0x0e00 && linking.has(before) && (traitsOf(code) & kindBits) === kinds.letter
}

const isFlagHalf = (code: number): boolean => code >= 0x1f1e6 && code <= 0x1f1ff
const isSyllable = (code: number): boolean => code >= 0xac00 && code <= 0xd7a3
const isJamo = (code: number): boolean =>
  (code >= 0x1100 && code <= 0x11ff) ||
  (code >= 0xa960 && code <= 0xa97f) ||
  (code >= 0xd7b0 && code <= 0xd7ff)
const isExtending = (code: number): boolean => code === joiner || (traitsOf(code) & extendingBit) !== 0
