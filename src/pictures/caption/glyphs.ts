import chinese from '../data/chinese-strokes.json' with { type: 'json' }
import glyphs from '../data/glyphs.json' with { type: 'json' }
import { fnv1a } from '../../engine/random/hash.ts'
import { tenth, thousandth } from '../places/numbers.ts'

/** SVG path data with the baseline at y = 0. Each contour begins with an absolute M; the other points are relative. */
const narrow: Readonly<Record<string, string>> = glyphs.narrow
const wide: Readonly<Record<string, string>> = glyphs.wide
/** The corners of each stroke of a Chinese character, as two digits each. */
const strokes: Readonly<Record<string, string>> = chinese.strokes
/** Latin transliterations of letters without a glyph. */
const latin: Readonly<Record<string, string>> = glyphs.latin

/** Width of a column relative to the font size. Kana and Chinese characters take two columns. */
export const COLUMN_WIDTH = glyphs.advance / glyphs.unitsPerEm

/** Replaces a run of characters without a glyph. No text contains it: control characters become spaces. */
const BOX = '\u0001'

/** A rounded frame on the grid of narrow glyphs. Its inner contour runs in the opposite direction. */
const BOX_OUTLINE =
  'M35 0q-15 0-15-15v-150q0-15 15-15h80q15 0 15 15v150q0 15-15 15z' +
  'M45-20h60q5 0 5-5v-130q0-5-5-5h-60q-5 0-5 5v130q0 5 5 5z'

/**
 * Converts a text to characters that have a glyph: Latin with accents, Greek, Cyrillic, kana and frequent Chinese
 * characters. Arabic, Hebrew, Korean, Thai, the scripts of India, Georgian, Armenian and rarer Chinese are transliterated
 * to Latin letters. Whitespace and control characters become single spaces. Each run of other characters, such as emoji,
 * becomes a box with four hexadecimal digits of its hash, so that different texts look different.
 */
export function drawable(text: string): string {
  let drawn = ''
  let run = ''
  function endRun() {
    if (run) drawn += `${BOX}${(fnv1a(run) >>> 16).toString(16).padStart(4, '0')}`
    run = ''
  }
  for (const character of text.normalize('NFC')) {
    const isSpace = /[\s\p{Control}]/u.test(character)
    const known = isSpace ? ' ' : withGlyphs(character)
    if (known === undefined) {
      run += character
      continue
    }
    endRun()
    drawn += known
  }
  endRun()
  return drawn.replace(/ +/g, ' ').trim()
}

function hasGlyph(character: string): boolean {
  return [narrow, wide, strokes].some((kind) => Object.hasOwn(kind, character))
}

function withGlyphs(character: string): string | undefined {
  if (hasGlyph(character)) return character
  if (Object.hasOwn(latin, character)) return latin[character]
  // Drop combining marks; NFKD also splits Korean syllables into letters.
  const parts = [...character.normalize('NFKD')].filter((part) => !/\p{Mark}/u.test(part))
  if (parts.length === 0) return ''
  const known = parts.map((part) =>
    hasGlyph(part) ? part : Object.hasOwn(latin, part) ? latin[part] : undefined,
  )
  return known.includes(undefined) ? undefined : known.join('')
}

/** How many columns a drawable text occupies. */
export function columnsOf(drawableText: string): number {
  return [...drawableText].reduce((sum, character) => sum + widthOf(character), 0)
}

function widthOf(character: string): number {
  return Object.hasOwn(wide, character) || Object.hasOwn(strokes, character) ? 2 : 1
}

/** Truncates a drawable text to at most `columns` columns, with an ellipsis at the end. */
export function fitText(drawableText: string, columns: number): string {
  if (columnsOf(drawableText) <= columns) return drawableText
  let left = columns - 1
  const fitting = [...drawableText].filter((character) => (left -= widthOf(character)) >= 0)
  return columns < 1 ? '' : `${fitting.join('').trimEnd()}…`
}

interface Lettering {
  /** The left end, in output pixels. */
  x: number
  /** The baseline. */
  y: number
  /** The font size, in output pixels. */
  size: number
  fill: string
  opacity: number
}

/** The glyphs of a drawable text as SVG paths, one for each grid of glyphs. */
export function textPath(drawableText: string, { x, y, size, fill, opacity }: Lettering): string {
  const data = { narrow: '', wide: '', strokes: '' }
  let column = 0
  for (const character of drawableText) {
    if (Object.hasOwn(strokes, character)) data.strokes += strokesAt(strokes[character]!, column)
    else if (Object.hasOwn(wide, character))
      data.wide += outlineAt(wide[character]!, (column + wideMargin) * COLUMN_WIDTH * glyphs.wideUnitsPerEm)
    else
      data.narrow += outlineAt(
        character === BOX ? BOX_OUTLINE : (narrow[character] ?? ''),
        column * glyphs.advance,
      )
    column += widthOf(character)
  }
  const place = (units: number) =>
    `transform="translate(${thousandth(x)},${thousandth(y)}) scale(${thousandth(size / units)})"`
  const paint = `fill="${fill}" fill-opacity="${opacity}"`
  const line = `fill="none" stroke="${fill}" stroke-opacity="${opacity}" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"`
  return [
    data.narrow && `<path ${place(glyphs.unitsPerEm)} ${paint} d="${data.narrow}"/>`,
    data.wide && `<path ${place(glyphs.wideUnitsPerEm)} ${paint} d="${data.wide}"/>`,
    data.strokes && `<path ${place(glyphs.strokeGrid)} ${line} d="${data.strokes}"/>`,
  ].join('')
}

/** A square of one em in the middle of two columns, in columns. */
const wideMargin = (2 - 1 / COLUMN_WIDTH) / 2

/** Shifts an outline. Only the first point of each contour is absolute. */
function outlineAt(outline: string, x: number): string {
  return outline.replace(/M(-?\d+)/g, (_, start: string) => `M${tenth(Number(start) + x)}`)
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The strokes of a character as path data. About an eighth of their grid is below the baseline. */
function strokesAt(encoded: string, column: number): string {
  const left = (column + wideMargin) * COLUMN_WIDTH * glyphs.strokeGrid
  const baseline = (900 / 1024) * glyphs.strokeGrid
  return encoded
    .split(' ')
    .map((stroke) => {
      const points = stroke.match(/../g) ?? []
      const corners = points.map(
        ([x = '', y = '']) => `${tenth(left + digits.indexOf(x))},${tenth(digits.indexOf(y) - baseline)}`,
      )
      return `M${corners.join('L')}`
    })
    .join('')
}
