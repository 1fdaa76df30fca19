import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { assumptionRows, assumptions } from '../scripts/assumed.js'
import { drawRooms, floors, neighbours, roomOf } from '../scripts/rooms.js'
import { version } from '../src/index.ts'

const root = new URL('../', import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|tsx|js)$/.test(path))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: read(`src/${path}`) }))

const floorOf = (path: string): number => {
  const floor = floors.findIndex((rooms) => roomOf(path) in rooms)
  if (floor < 0)
    throw new Error(`src/${path} is in no room: add its folder to the floors in scripts/rooms.js.`)
  return floor
}

const importsOf = ({ path, text }: { path: string; text: string }): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    new URL(target!, `file:///${path}`).pathname.slice(1),
  )

/** What others of its floor are put together in. */
const meetingPlace = 'embedded'

it('imports point down', () => {
  for (const source of sources) {
    for (const target of importsOf(source)) {
      const [from, to] = [roomOf(source.path), roomOf(target)]
      if (from === to) continue
      const fine =
        floorOf(source.path) > floorOf(target) ||
        neighbours.has(`${from} → ${to}`) ||
        (floorOf(source.path) === floorOf(target) && from === meetingPlace)
      expect(fine, `src/${source.path} imports ${target}, which is not below it`).toBe(true)
    }
  }
})

it('knows an API outside its folder only by the list and the definition of APIs', () => {
  const known = /^apis\/(?:index\.ts$|other-apis\.ts$|define\/|client\/|own\/index\.ts$)/
  const found = sources
    .filter(({ path }) => roomOf(path) !== 'apis')
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => roomOf(target) === 'apis' && !known.test(target))
        .map((target) => `src/${source.path} imports ${target}`),
    )
  expect(found).toEqual([])
})

/** What definitions of APIs are made with. */
const baseOfApis = ['define', 'jobs', 'text', 'painting', 'client', 'own']

it('makes each API without another one, so that any of them can be deleted', () => {
  const folderOf = (path: string): string => path.split('/')[1]!
  const found = sources
    .filter(({ path }) => roomOf(path) === 'apis' && path !== 'apis/index.ts')
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => roomOf(target) === 'apis' && target.split('/').length > 2)
        .filter((target) => ![...baseOfApis, folderOf(source.path)].includes(folderOf(target)))
        .map((target) => `src/${source.path} imports ${target}`),
    )
  expect(found).toEqual([])
})

it('has no circles of imports', () => {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]))
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): void => {
    if (done.has(path)) return
    expect(way, `a circle: ${[...way, path].join(' → ')}`).not.toContain(path)
    for (const target of graph.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
})

const banned: readonly { what: RegExp; only: readonly string[]; not?: RegExp; instead: string }[] = [
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|(?<![.\w])set(?:Timeout|Interval|Immediate)\(|\bqueueMicrotask\(/,
    only: [
      'engine/clock/timers/host-timers.ts',
      'embedded/explored/run-date.ts',
      'engine/clock/timers/fake-timers.ts',
      'media/encode/wasm-encoder.js',
    ],
    // The page shows the time of its server, and has the timers of its browser.
    not: /^dashboard\//,
    instead: 'clock.now() and clock.wait(), or hostTimers for watchdogs',
  },
  {
    what: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/,
    // What replaces it in a program.
    only: ['cli/virtual-timers/install.ts'],
    instead: 'draws.unit() with a purpose and a subject',
  },
  {
    what: /\bconsole\./,
    only: ['transports/msw/msw.ts', 'transports/msw/other-hosts.ts', 'simulator/options.ts'],
    instead: 'onWarning, or the terminal of a command',
  },
  {
    what: /\bprocess\.(?:exit|stdout|stderr|argv|on|once)\b/,
    only: [
      'cli/main.ts',
      'cli/terminal/exit.ts',
      'cli/terminal/screen.ts',
      'cli/virtual-timers/children.ts',
      'cli/virtual-timers/install.ts',
      'media/encode/pipes.js',
      'media/encode/from-source.js',
    ],
    instead: 'the Terminal of a command',
  },
  { what: /\benum\s+[A-Z]|:\s*any\b|\bas any\b|<any>/, only: [], instead: 'unions and unknown' },
  { what: /^export default/m, only: [], instead: 'a named export' },
  {
    what: /\bexecSync\b|\bshell:\s*true|(?<!\.)\bexec\(/,
    only: ['media/encode/wasm-encoder.js', 'cli/virtual-timers/children.ts'],
    instead: 'spawn with a list of arguments',
  },
]

it.each(banned)('uses $instead, not $what', ({ what, only, not, instead }) => {
  for (const { path, text } of sources) {
    if (only.includes(path) || not?.test(path)) continue
    const line = text.split('\n').findIndex((each) => what.test(each) && !/^\s*(\*|\/\/|\/\*)/.test(each))
    expect(line, `src/${path}:${line + 1} uses what is banned here; use ${instead}`).toBe(-1)
  }
})

/** The Node side of rooms that else run anywhere. */
const nodeFiles = [
  'judge/reports/html/files.ts',
  'files/file-error.ts',
  'files/load.ts',
  'files/package-path.ts',
  'files/read-file.ts',
  'files/code/blocked.ts',
  'files/code/load-apis.ts',
  'files/code/run-module.ts',
]

it('keeps node: out of the rooms that run in a browser', () => {
  for (const { path, text } of sources) {
    if (['media', 'server', 'cli'].includes(roomOf(path))) continue
    if (/^transports\/(?:http|middleware)\//.test(path) || nodeFiles.includes(path)) continue
    expect(text, `src/${path} runs in browsers`).not.toMatch(/from 'node:/)
  }
})

it('loads the heavy packages only when they are needed', () => {
  const heavy =
    /^import (?!type).*from '(sharp|@ffmpeg\/core|ffmpeg-static|zod'|yaml|msw|@mswjs|jiti|express|@faker-js\/faker)/m
  for (const { path, text } of sources) {
    // They are themselves loaded with the first file, and with the first API of a user.
    if (path === 'files/yaml-text.ts' || path === 'apis/own/index.ts') continue
    expect(text, `src/${path} loads a heavy package at once`).not.toMatch(heavy)
  }
})

/** All the code that people read. */
const written = [
  ...sources.map(({ path, text }) => ({ path: `src/${path}`, text })),
  ...['test', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !path.includes('node_modules'))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: read(path) })),
  ),
]

/**
 * Files and folders that break a rule from before the rule: lines of a rule and a path. The list only shrinks.
 * `UPDATE_TIDY=1 npx vitest run test/tidy.test.ts` writes it again from what the rules find now.
 */
const exceptionsFile = 'test/support/tidy-exceptions.txt'
const exceptions = new Set(read(exceptionsFile).split('\n'))
const current: string[] = []

function expectNone(rule: string, found: readonly { path: string; what: string }[]): void {
  current.push(...new Set(found.map(({ path }) => `${rule} ${path}`)))
  if (process.env['UPDATE_TIDY'] !== undefined) return
  const fresh = found.filter(({ path }) => !exceptions.has(`${rule} ${path}`))
  expect(fresh.map(({ path, what }) => `${path}: ${what}`)).toEqual([])
}

afterAll(() => {
  if (process.env['UPDATE_TIDY'] === undefined) return
  writeFileSync(
    new URL(exceptionsFile, root),
    current
      .toSorted()
      .map((line) => `${line}\n`)
      .join(''),
  )
})

/** Words that the code uses in a sense of its own, for which the field has a better one. */
const dialect: readonly RegExp[] = [
  /asked|told|kept|shown|said|wish(?:es)?|whoever|nobody|anybody|somebody/,
  /anew|aside|beside|for ever|how-manieth|of its own accord|goes on to/,
  /so (?:long|many|much|often)(?! (?:that|as)\b)/,
  /dice|(?<!mj[ .])films?|newcomers?|comebacks?|vacuous|lately|foreseen/,
  /most [A-Z]\w*|usual [A-Z]\w*|(?:MOST|USUAL)_\w+/,
]

/** Words of prompts and of answers: content, not code. */
const isContent = (path: string): boolean =>
  /^src\/(?:pictures\/(?:data|subjects|words)|text\/write)\/.*(?:-words|subjects|lexicon|nouns|data)|^src\/apis\/define\/answers\/lists|^test\/(?:tidy|doc-pages)/.test(
    path,
  )

it('is written in plain words', () => {
  const word = new RegExp(`(?<![A-Za-z])(?:${dialect.map(({ source }) => source).join('|')})(?![A-Za-z])`)
  const found = written
    .filter(({ path }) => !isContent(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const spaced = line.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
        const match = word.exec(spaced) ?? word.exec(spaced.toLowerCase())
        return match ? [{ path, what: `line ${index + 1}: "${match[0]}"` }] : []
      }),
    )
  expectNone('words', found)
})

/** Rooms in which each thing has a file, however short. */
const roomsOfSmallFiles = /^apis\/|(?:invariants|habits|reports|conditions|faults|lint|operations)$/

it('keeps short helpers in the file that uses them', () => {
  const importers = new Map<string, string[]>()
  for (const source of sources) {
    for (const target of importsOf(source)) {
      importers.set(target, [...(importers.get(target) ?? []), source.path])
    }
  }
  const found = sources.flatMap(({ path, text }) => {
    const users = importers.get(path) ?? []
    const lines = text.split('\n').length - 1
    const folder = posix.dirname(path)
    if (lines >= 40 || users.length !== 1 || posix.dirname(users[0]!) !== folder) return []
    if (roomsOfSmallFiles.test(folder)) return []
    return [{ path: `src/${path}`, what: `${lines} lines, which only ${users[0]} imports` }]
  })
  expectNone('short', found)
})

it('has at most 15 files in a folder', () => {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    // The generated lists have nothing to read.
    if (!path.endsWith('/lists.ts'))
      counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  }
  const found = [...counts].flatMap(([path, count]) =>
    count > 15 ? [{ path: `src/${path}`, what: `${count} files: make rooms in it` }] : [],
  )
  expectNone('folder', found)
})

it('tests a room by its own files, the ground floor, and the entries of other rooms', () => {
  const found = written.flatMap(({ path, text }) => {
    const [, room] = /^test\/(\w+)\//.exec(path) ?? []
    if (room === undefined || !sources.some((source) => source.path.startsWith(`${room}/`))) return []
    return importsOf({ path, text })
      .filter((target) => /^src\/.*\//.test(target) && !/^src\/engine\/|\/index\.ts$/.test(target))
      .filter((target) => !target.startsWith(`src/${room}/`))
      .map((target) => ({ path, what: `imports ${target}` }))
  })
  expectNone('imports', found)
})

/** Exports of a type, class or function by name, with their rooms. Generated types and the dashboard, a bundle apart, don't count. */
function roomsByExport(): ReadonlyMap<string, ReadonlySet<string>> {
  const rooms = new Map<string, Set<string>>()
  for (const { path, text } of sources) {
    if (/^dashboard\/|vocabulary\/types|\/data\//.test(path)) continue
    const exported = /^export (?:abstract )?(?:async )?(?:interface|type|class|function\*?) (\w+)/gm
    for (const [, name] of text.matchAll(exported)) {
      rooms.set(name!, (rooms.get(name!) ?? new Set()).add(roomOf(path)))
    }
  }
  return rooms
}

/** Names that one room passes on to users, or binds to its own type parameter, for the same thing. */
const sameThing: ReadonlySet<string> = new Set(
  // `list` of definitions is named as in vendors' documents.
  'explore loadScenario parseScenario MediaBody Reply ReplyBody list'.split(' '),
)

it('gives an exported name one meaning in all rooms', () => {
  const shared = [...roomsByExport()].filter(([name, rooms]) => rooms.size > 1 && !sameThing.has(name))
  expect(shared.map(([name, rooms]) => `${name}: ${[...rooms].join(', ')}`)).toEqual([])
})

it('calls no file a utility, and keeps files short enough to be one thought', () => {
  for (const { path, text } of sources) {
    expect(path).not.toMatch(/util|helper|misc/)
    expect(path).toMatch(/^(?:[a-z0-9-]+\/)*[a-z0-9-]+\.(?:tsx?|js)$/)
    // Outlines, palettes and generated types are data: long, but nothing to read.
    if (/outlines|palettes|subjects|lexicon|vocabulary\/types/.test(path)) continue
    // Examples are read one at a time, in an editor, and don't make a file a longer thought.
    const read = text.replaceAll(/\n *\* @example[^]*?(?=\n *\* @|\n *\*\/)/g, '')
    expect(read.split('\n').length, `src/${path} is long: look for the second thought in it`).toBeLessThan(
      350,
    )
  }
})

it('has the version of its package', () => {
  expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(version)
})

it('names the silent section with every assumption', () => {
  const found = assumptions()
  expect(found.length).toBeGreaterThan(10)
  for (const { place, section, text } of found) {
    expect(
      section,
      `${place}: "@assumed ${text}" must begin with the section, as in "@assumed §7 …"`,
    ).not.toBe('')
  }
})

it('lists every assumption in docs/explanation/assumed.md, and no other', () => {
  const listed = read('docs/explanation/assumed.md')
    .split('\n')
    .filter((line) => line.startsWith('| §'))
  expect(listed, 'run node scripts/assumed.js').toEqual(assumptionRows())
})

it('describes every section of `wire` to which code refers', () => {
  const sections = new Set(
    Array.from(read('docs/explanation/wire.md').matchAll(/^#+ (\d+(?:\.\d+)?) /gm), ([, number]) => number!),
  )
  expect(sections.size).toBeGreaterThan(30)
  const missing = sources.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/\bwire ((?:(?:,| and)? ?§\d+(?:\.\d+)?)+)/g)).flatMap(([, list]) =>
      list!
        .match(/\d+(?:\.\d+)?/g)!
        .filter((number) => !sections.has(number))
        .map((number) => `${path}: wire §${number}`),
    ),
  )
  expect(missing).toEqual([])
})

it('draws the rooms of today in the docs', () => {
  expect(read('docs/images/rooms.svg'), 'run node scripts/rooms.js').toBe(drawRooms())
})
