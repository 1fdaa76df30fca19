// The rooms of src, and docs/images/rooms.svg: a picture of them, made from the imports.
//
//   node scripts/rooms.js
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const root = new URL('../', import.meta.url)

/** The floors of src from the ground up, with what each room is for. A file imports its own room or a lower one. */
export const floors = [
  { engine: 'clock, tasks, random draws', version: '' },
  {
    'scenario/schema': 'checks of values',
    pictures: 'prompt → scene → SVG',
    media: 'PNG and MP4 bytes',
    text: 'words, JSON, tokens, pace',
  },
  { 'scenario/faults': 'one file each' },
  { 'scenario/vocabulary': 'schemas of options and files' },
  { scenario: 'rules, throttles' },
  { gateway: 'one exchange, one list of stages' },
  { apis: 'one file per operation' },
  { files: 'load, extend, lint' },
  { control: '/_greenroom routes' },
  { judge: 'expectations, invariants, reports' },
  { 'judge/runs': '' },
  { 'judge/habits': '' },
  { 'judge/explore': '' },
  { simulator: 'where the parts meet' },
  {
    transports: 'socket, MSW, fetch, middleware',
    embedded: 'simulators in tests',
    'judge/client': '',
    'judge/recording': '',
  },
  { index: '' },
  { server: 'host and persistence', matchers: 'for expect()', browser: '' },
  { cli: 'commands', vitest: 'a gateway for each test', dashboard: 'the page' },
]

/** Rooms of one floor of which the first may import the second. */
export const neighbours = new Set(['media → pictures'])

const names = floors.flatMap((floor) => Object.keys(floor))

/**
 * The room of a file.
 *
 * @param {string} path below src.
 */
export function roomOf(path) {
  const [room = '', part] = path.replace(/\.[tj]sx?$/, '').split('/')
  const inner = `${room}/${part}`
  return names.includes(inner) ? inner : room
}

/** Every file of src with its text and the files that it imports. */
export function readSources() {
  return readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(tsx?|js)$/.test(path))
    .map((path) => {
      const text = readFileSync(new URL(`src/${path}`, root), 'utf8')
      const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
      const imports = Array.from(specifiers, ([, target = '']) =>
        new URL(target, `file:///${path}`).pathname.slice(1),
      )
      return { path, text, imports }
    })
}

/** Which rooms each room imports, without those that it also reaches through another room. */
function importedRooms() {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map(names.map((name) => [name, new Set()]))
  for (const { path, imports } of readSources())
    for (const target of imports)
      if (roomOf(path) !== roomOf(target)) graph.get(roomOf(path))?.add(roomOf(target))
  /** @param {string} from @param {string} to @param {Set<string>} seen @returns {boolean} */
  const reaches = (from, to, seen = new Set()) =>
    [...(graph.get(from) ?? [])].some((next) => {
      if (next === to) return true
      if (seen.has(next)) return false
      seen.add(next)
      return reaches(next, to, seen)
    })
  return new Map(
    [...graph].map(([from, targets]) => [
      from,
      [...targets].filter((to) => {
        const via = [...targets].filter((other) => other !== to && !reaches(to, other))
        return !via.some((other) => reaches(other, to, new Set([from])))
      }),
    ]),
  )
}

const width = 900
const boxHeight = 46
const rowHeight = 76

/** The picture as SVG. */
export function drawRooms() {
  const rows = floors
    .map((floor) => Object.entries(floor).filter(([, purpose]) => purpose !== ''))
    .filter((row) => row.length > 0)
    .toReversed()
  const height = rows.length * rowHeight
  /** @type {Map<string, { x: number, y: number, width: number }>} */
  const boxes = new Map()
  const drawn = rows.flatMap((row, index) => {
    const step = width / row.length
    const boxWidth = Math.min(step - 24, 260)
    return row.map(([name, purpose], column) => {
      const x = Math.round(step * (column + 0.5) - boxWidth / 2)
      const y = index * rowHeight + (rowHeight - boxHeight) / 2
      boxes.set(name, { x, y, width: boxWidth })
      const middle = x + boxWidth / 2
      return (
        `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" fill="#f4f7fb" stroke="#5b7ba6"/>` +
        `<text x="${middle}" y="${y + 20}" font-weight="600">${name}/</text>` +
        `<text x="${middle}" y="${y + 36}" font-size="11" fill="#51606f">${purpose}</text>`
      )
    })
  })
  const arrows = [...importedRooms()].flatMap(([from, targets]) =>
    targets.flatMap((to) => {
      const [start, end] = [boxes.get(from), boxes.get(to)]
      if (!start || !end || start.y >= end.y) return []
      const [x1, x2] = [start.x + start.width / 2, end.x + end.width / 2]
      const [y1, y2] = [start.y + boxHeight, end.y]
      const bend = (y2 - y1) / 2
      return [`<path d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}"/>`]
    }),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14">`,
    '<title>The rooms of greenroom. Imports point down.</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<g fill="none" stroke="#9fb2c8">${arrows.join('')}</g>`,
    `<g text-anchor="middle" fill="#1d2b3a">${drawn.join('')}</g>`,
    '</svg>\n',
  ].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(new URL('docs/images/rooms.svg', root), drawRooms())
