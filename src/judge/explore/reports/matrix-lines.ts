import type { Schedule } from '../schedules.ts'
import type { Cell } from '../search.ts'
import { symbols, toMatrix, type Matrix } from './matrix.ts'

const maxColumns = 98
const nameColumns = 17
const minPlaceColumns = 8

/** Draws the matrix with characters, and the legend of its symbols. Places that don't fit side by side follow below. */
export function matrixLines(cells: readonly Cell[], left: readonly Schedule[]): string[] {
  const matrix = toMatrix(cells, left)
  const width = Math.max(
    minPlaceColumns,
    ...matrix.places.flatMap(({ operation, detail }) => [shortOf(operation).length + 2, detail.length + 2]),
  )
  const perBlock = Math.max(1, Math.floor((maxColumns - nameColumns) / width))
  const lines: string[] = []
  for (let from = 0; from < matrix.places.length; from += perBlock)
    lines.push(...blockLines(matrix, { from, to: from + perBlock, width }), '')
  const legend = Object.entries(symbols).map(([state, symbol]) => `${symbol} ${state}`)
  return [...lines, legend.slice(0, 7).join('   '), legend.slice(7).join('   ')]
}

function blockLines(
  { places, rows }: Matrix,
  { from, to, width }: { from: number; to: number; width: number },
): string[] {
  const columns = places.slice(from, to)
  const line = (name: string, texts: readonly string[]): string =>
    (name.padEnd(nameColumns) + texts.map((text) => text.padStart(width)).join('')).trimEnd()
  const operations = columns.map(({ operation }, at) =>
    columns[at - 1]?.operation === operation ? '' : shortOf(operation),
  )
  const details = columns.map(({ detail }) => detail)
  const lines = [line('', operations), line('', details)]
  const rule = nameColumns + width * columns.length
  let family = ''
  for (const row of rows) {
    const states = row.states.slice(from, to)
    if (states.every((state) => state === undefined)) continue
    if (row.family !== family) lines.push(`─ ${row.family} `.padEnd(rule, '─'))
    family = row.family
    const cells = states.map((state) => (state === undefined ? '' : symbols[state]))
    lines.push(line(row.injection, cells))
  }
  return lines
}

const shortOf = (operation: string): string => operation.replace(/^(?:video|videos|mj|text|chat)\./, '')
