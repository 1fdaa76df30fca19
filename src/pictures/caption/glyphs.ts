import { GLYPH_ADVANCE, GLYPH_OUTLINES, GLYPH_UNITS_PER_EM } from '../data/glyph-outlines.ts'
import { fnv1a } from '../../engine/random/hash.ts'
import { thousandth } from '../places/numbers.ts'

/** How wide one character is, in parts of the font size. */
export const CHARACTER_WIDTH = GLYPH_ADVANCE / GLYPH_UNITS_PER_EM

/** Stands for a run of characters without a glyph. No text contains it: control characters become spaces. */
const BOX = '\u0001'

/** A rounded frame, its inner contour the other way round. */
const BOX_OUTLINE =
  'M70 0q-30 0-30-30v-300q0-30 30-30h160q30 0 30 30v300q0 30-30 30z' +
  'M90-40h120q10 0 10-10v-260q0-10-10-10h-120q-10 0-10 10v260q0 10 10 10z'

/**
 * Any text as characters that have a glyph: printable ASCII, `…`, `·` and `–`. Accents are dropped, white space
 * and control characters become single spaces, and each run of other characters (Chinese, emoji, Arabic …)
 * becomes a box with four hexadecimal digits of its hash, so that two such texts still look different.
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
    const known = isSpace ? ' ' : withGlyph(character)
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

/** A drawable text of at most so many characters: its end is cut and marked with an ellipsis. */
export function fitted(drawableText: string, length: number): string {
  if (drawableText.length <= length) return drawableText
  return length < 1 ? '' : `${drawableText.slice(0, length - 1).trimEnd()}…`
}

/**
 * The outlines of a drawable text as one SVG path.
 * @param options.x of its left end, in output pixels; `y` is the baseline.
 * @param options.size of the font, in output pixels.
 */
export function textPath(
  drawableText: string,
  options: { x: number; y: number; size: number; fill: string; opacity: number },
): string {
  const { x, y, size, fill, opacity } = options
  const outlines = [...drawableText].map((character, i) => glyphAt(character, i * GLYPH_ADVANCE))
  const scale = thousandth(size / GLYPH_UNITS_PER_EM)
  const place = `translate(${thousandth(x)},${thousandth(y)}) scale(${scale})`
  return `<path transform="${place}" fill="${fill}" fill-opacity="${opacity}" d="${outlines.join('')}"/>`
}

function withGlyph(character: string): string | undefined {
  if (Object.hasOwn(GLYPH_OUTLINES, character)) return character
  const base = character.normalize('NFKD').replace(/\p{Mark}/gu, '')
  return base && [...base].every((part) => Object.hasOwn(GLYPH_OUTLINES, part)) ? base : undefined
}

/** Contours begin with an absolute point and go on in relative ones, so only the first has to be moved. */
function glyphAt(character: string, x: number): string {
  const outline = character === BOX ? BOX_OUTLINE : (GLYPH_OUTLINES[character] ?? '')
  return outline.replace(/M(-?\d+)/g, (_, start: string) => `M${Number(start) + x}`)
}
