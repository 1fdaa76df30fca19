import { COLUMN_WIDTH, columnsOf, drawable, fitText, textPath } from '../caption/glyphs.ts'
import { darker, luminance, type Colour } from '../places/colour.ts'
import { tenth } from '../places/numbers.ts'
import { rect } from '../places/shapes.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import { inTheLight } from './recolour.ts'

const maxLines = 3
const maxLineLength = 14

/** The colour of letters: dark in every palette. */
function inkOf({ palette }: View): Colour {
  return luminance(palette.ink) < 0.5 ? palette.ink : '#221c2b'
}

/** Draws a text on a board with its feet at 0, 0: on a post in a landscape, without one on an emblem. */
export function drawBoard(
  view: View,
  { letters = '', isNeon }: CastMember,
  { size, isOutdoors }: { size: number; isOutdoors: boolean },
): string {
  const text = drawable(letters)
  const lines = linesOf(text.length > 2 ? text : text.toUpperCase())
  const longest = Math.max(...lines.map(columnsOf), 2)
  const width = size * (isOutdoors ? 1.25 : 1.5)
  const font = Math.min((width * 0.84) / (longest * COLUMN_WIDTH), size * (lines.length > 1 ? 0.3 : 0.52))
  const height = font * (lines.length * 1.12 + 0.62)
  const wood = inTheLight(view, isOutdoors ? '#9a6a45' : view.palette.light)
  const board = isNeon ? darker(view.palette.ink, 0.2) : wood
  const ink = isOutdoors ? inTheLight(view, '#fff1d8') : inkOf(view)
  const foot = isOutdoors ? size * 0.42 : size * 0.5 - height / 2
  const top = -foot - height
  const glow = isNeon ? ` stroke="#19e3ff" stroke-width="${tenth(font * 0.08)}"` : ''
  const post = rect(-size * 0.035, top + 10, size * 0.07, height + foot - 10, darker(board, 0.3))
  const place = `x="${tenth(-width / 2)}" y="${tenth(top)}" width="${tenth(width)}" height="${tenth(height)}"`
  const lettering = lines.map((line, index) =>
    textPath(line, {
      x: -(columnsOf(line) * COLUMN_WIDTH * font) / 2,
      y: top + font * (1.06 + index * 1.12),
      size: font,
      fill: isNeon ? '#ff6fb5' : ink,
      opacity: 1,
    }),
  )
  return (
    (isOutdoors ? post : '') +
    `<rect ${place} rx="${tenth(font * 0.22)}" fill="${board}"${glow}/>` +
    lettering.join('')
  )
}

/** Draws one or two letters, as large as the disc behind them, around the point x, y. */
export function drawMonogram(
  view: View,
  letters: string,
  { x, y, side }: { x: number; y: number; side: number },
): string {
  const text = drawable(letters)
  const font = side * (columnsOf(text) <= 1 ? 0.62 : 0.46)
  return textPath(text, {
    x: x - (columnsOf(text) * COLUMN_WIDTH * font) / 2,
    y: y + font * 0.36,
    size: font,
    fill: inkOf(view),
    opacity: 1,
  })
}

function linesOf(text: string): string[] {
  if (columnsOf(text) <= 9) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && columnsOf(`${last} ${word}`) <= 11) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.slice(0, maxLines).map((line) => fitText(line, maxLineLength))
}
