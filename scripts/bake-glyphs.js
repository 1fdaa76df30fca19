// Bakes the glyphs of captions into src/pictures/data, so that text can be drawn on a machine without fonts. glyphs.json has outlines
// for Latin, Greek, Cyrillic and kana, and Latin letters for other scripts. chinese-strokes.json has the strokes of Chinese characters,
// apart from the rest, because they have a licence of their own.
// Needed only when the fonts or the set of characters changes; the packages are not dependencies:
//
//   mkdir /tmp/bake && cd /tmp/bake
//   npm install opentype.js@1.3.4 @fontsource/jetbrains-mono@5.3.0 @fontsource/m-plus-1p@5.3.0 hanzi-writer-data@2.0.1 any-ascii@0.3.3
//   cd - && node scripts/bake-glyphs.js /tmp/bake
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const packages = process.argv[2]
if (!packages)
  throw new Error('Failed to bake glyphs: no folder of packages. See the top of scripts/bake-glyphs.js.')

const modules = join(packages, 'node_modules')
const opentype = createRequire(join(packages, 'index.js'))('opentype.js')
const { default: anyAscii } = await import(pathToFileURL(join(modules, 'any-ascii/any-ascii.js')).href)
const data = new URL('../src/pictures/data/', import.meta.url)

/** Units of the grid that outlines are drawn on, per em. A twelfth of a pixel at caption size. */
const unitsPerEm = 250
/** Of kana, which have fewer corners. */
const wideUnitsPerEm = 100
/** Columns and rows of the grid of strokes. */
const strokeGrid = 48
/** A digit for each column and row. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const latin = ['latin', 'latin-ext', 'greek', 'cyrillic'].map((subset) => fontOf('jetbrains-mono', subset))
const kana = [fontOf('m-plus-1p', 'japanese')]
const first = fontOf('jetbrains-mono', 'latin')

const narrow = glyphsIn(latin, unitsPerEm, [
  ...charactersIn(0x21, 0x7e),
  ...charactersIn(0xa1, 0x17f),
  ...charactersIn(0x386, 0x3ce),
  ...charactersIn(0x400, 0x45f),
  ...'ҐґȘșȚț–—‘’“”„…€№',
])
const han = chineseCharacters()
const strokes = Object.fromEntries(
  han.flatMap((character) => {
    const path = join(modules, `hanzi-writer-data/${character}.json`)
    if (!existsSync(path)) return []
    return [[character, strokesOf(JSON.parse(readFileSync(path, 'utf8')).medians)]]
  }),
)
const wide = glyphsIn(kana, wideUnitsPerEm, [
  ...charactersIn(0x3041, 0x3096),
  ...charactersIn(0x30a1, 0x30fc),
  ...'、。「」『』〜！？・',
  ...han.filter((character) => !strokes[character]),
])

const zero = first.charToGlyph('0')
const advance = Math.round((zero.advanceWidth / first.unitsPerEm) * unitsPerEm)
const latinOf = Object.fromEntries(
  [...transliterated(), ...commonChinese()]
    .filter((character) => !narrow[character] && !wide[character] && !strokes[character])
    .map((character) => [character, spelledIn(character)]),
)
const glyphs = { unitsPerEm, wideUnitsPerEm, advance, strokeGrid, narrow, wide, latin: latinOf }
// The Arphic Public License asks for it in each modified file.
const notice =
  'Middle lines of the strokes of Chinese characters, derived from fonts Copyright (C) 1999 Arphic Technology Co., Ltd., ' +
  'under the Arphic Public License: see ARPHICPL.txt. Changed in November 2026 by scripts/bake-glyphs.js: only the ' +
  'middle lines of frequent characters were taken, on a coarser grid.'
writeFileSync(new URL('glyphs.json', data), `${JSON.stringify(glyphs)}\n`)
writeFileSync(new URL('chinese-strokes.json', data), `${JSON.stringify({ notice, strokes })}\n`)
copyFileSync(join(modules, '@fontsource/jetbrains-mono/LICENSE'), new URL('OFL.txt', data))
copyFileSync(join(modules, 'hanzi-writer-data/ARPHICPL.TXT'), new URL('ARPHICPL.txt', data))
const sizes = [narrow, wide, strokes, latinOf].map((glyphsOfKind) => Object.keys(glyphsOfKind).length)
console.log(
  `${sizes[0]} narrow and ${sizes[1]} wide outlines, ${sizes[2]} characters of strokes, ${sizes[3]} spelled`,
)

/** @param {string} name @param {string} subset @returns {any} */
function fontOf(name, subset) {
  const path = join(modules, `@fontsource/${name}/files/${name}-${subset}-500-normal.woff`)
  return opentype.parse(new Uint8Array(readFileSync(path)).buffer)
}

/** @param {number} from @param {number} to code points. */
function charactersIn(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index))
}

/** Those of the nouns in Chinese and Japanese, and the most frequent. @returns {string[]} */
function chineseCharacters() {
  const { languages } = JSON.parse(readFileSync(new URL('words.json', data), 'utf8'))
  const frequent = readFileSync(new URL('icons/frequent-chinese.txt', import.meta.url), 'utf8')
  const text = JSON.stringify([languages.zh]) + frequent
  return [...new Set(text)].filter((character) => /\p{Script=Han}/u.test(character))
}

/** The 3,755 of level 1 of GB 2312. */
function commonChinese() {
  const decoder = new TextDecoder('gb2312')
  const rows = Array.from({ length: 0xd7 - 0xb0 + 1 }, (_, row) => row + 0xb0)
  return rows
    .flatMap((row) =>
      Array.from({ length: 94 }, (_, cell) => decoder.decode(new Uint8Array([row, cell + 0xa1]))),
    )
    .filter((character) => /^\p{Script=Han}$/u.test(character))
}

/** Hebrew, Arabic, the scripts of India, Thai, Georgian, Armenian, and the letters that Korean syllables are made of. */
function transliterated() {
  return [
    ...charactersIn(0x531, 0x586),
    ...charactersIn(0x5d0, 0x5ea),
    ...charactersIn(0x621, 0x6ff),
    ...charactersIn(0x900, 0xd7f),
    ...charactersIn(0xe01, 0xe4e),
    ...charactersIn(0x10d0, 0x10fa),
    ...charactersIn(0x1100, 0x11c2),
  ]
}

/** Chinese syllables end with a space. @param {string} character */
function spelledIn(character) {
  if (character === '\u0627') return 'a'
  const letters = anyAscii(character).trim()
  if (!/^[ -~]*$/.test(letters)) return ''
  return /\p{Script=Han}/u.test(character) ? `${letters.toLowerCase()} ` : letters
}

/**
 * The corners of each stroke, as two digits each, without those that it passes anyway.
 *
 * @param {[number, number][][]} medians
 */
function strokesOf(medians) {
  const tolerance = 24
  return medians
    .map((points) =>
      simplified(points, tolerance)
        .map(([x, y]) => digit(x / 1024) + digit((900 - y) / 1024))
        .join(''),
    )
    .join(' ')
}

/** @param {number} part of the box. */
function digit(part) {
  return digits.charAt(Math.max(0, Math.min(strokeGrid - 1, Math.round(part * strokeGrid))))
}

/**
 * Ramer, Douglas and Peucker's.
 *
 * @param {[number, number][]} points
 * @param {number} tolerance
 * @returns {[number, number][]}
 */
function simplified(points, tolerance) {
  const start = points[0]
  const end = points[points.length - 1]
  if (!start || !end || points.length < 3) return points
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1
  const distances = points.map(
    ([x, y]) =>
      Math.abs((end[0] - start[0]) * (start[1] - y) - (start[0] - x) * (end[1] - start[1])) / length,
  )
  const farthest = distances.indexOf(Math.max(...distances.slice(1, -1)), 1)
  if ((distances[farthest] ?? 0) <= tolerance) return [start, end]
  return [
    ...simplified(points.slice(0, farthest + 1), tolerance).slice(0, -1),
    ...simplified(points.slice(farthest), tolerance),
  ]
}

/**
 * The outlines of those characters that one of the fonts has.
 *
 * @param {any[]} fonts
 * @param {number} units per em.
 * @param {string[]} characters
 * @returns {Record<string, string>}
 */
function glyphsIn(fonts, units, characters) {
  return Object.fromEntries(
    characters.flatMap((character) => {
      const font = fonts.find((each) => each.charToGlyph(character).index > 0)
      return font ? [[character, outlineOf(font, units, character)]] : []
    }),
  )
}

/**
 * Relative path data in whole units.
 * @param {any} font
 * @param {number} units per em.
 * @param {string} character
 * @returns {string}
 */
function outlineOf(font, units, character) {
  // Glyph by glyph, because getPath of a whole text applies ligatures that opentype.js can't read.
  const { commands } = font.charToGlyph(character).getPath(0, 0, units)
  let data = ''
  let [penX, penY] = [0, 0]
  /** @param {number[]} points */
  function relative(...points) {
    return points
      .map((value, i) => Math.round(value) - (i % 2 ? penY : penX))
      .join(' ')
      .replaceAll(' -', '-')
  }
  /** Fonts close some contours with a line of no length.
   * @param {number} x
   * @param {number} y
   */
  function isSamePoint(x, y) {
    return Math.round(x) === penX && Math.round(y) === penY
  }
  for (const { type, x, y, x1, y1, x2, y2 } of commands) {
    if (type === 'M') data += `M${Math.round(x)} ${Math.round(y)}`
    if (type === 'L' && !isSamePoint(x, y)) data += `l${relative(x, y)}`
    if (type === 'Q') data += `q${relative(x1, y1, x, y)}`
    if (type === 'C') data += `c${relative(x1, y1, x2, y2, x, y)}`
    if (type === 'Z') data += 'z'
    if (type !== 'Z') [penX, penY] = [Math.round(x), Math.round(y)]
  }
  return data
}
