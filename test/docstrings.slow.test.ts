import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format, type FormatConfig } from 'oxfmt'
import { describe, expect, it } from 'vitest'
import { entries, exportsOf, type Declared } from './support/docstrings.ts'
import { moduleFolder } from './support/example-module.ts'
import { exampleModules, writeExampleModules } from './support/example-modules.ts'

const root = new URL('../', import.meta.url)
const folder = new URL(`${moduleFolder}/`, root)
const read = (url: URL): string => readFileSync(url, 'utf8')

/** Entries that can't be loaded here: pages need more than Node has, and virtual timers a simulator. */
const onlyCompiled: readonly string[] = ['./browser', './virtual-timers']

/** Interfaces of which users hold objects: every method has an example. */
const handles = [
  'BrowserSimulator',
  'ClockHandle',
  'EmbeddedSimulator',
  'GreenroomMatchers',
  'NamespaceHandle',
  'NodeSimulator',
  'TestGateway',
  'WatchedRun',
]

const exported = [...entries()].map(([entry, path]) => ({ entry, path, names: exportsOf(path) }))
const modules = exampleModules()

// They run from the folder. `npm run types` compiles them there.
writeExampleModules(modules)

it.each(exported.filter(({ entry }) => !onlyCompiled.includes(entry)))(
  'finds every value that $entry exports',
  async ({ path, names }) => {
    const module = (await import(fileURLToPath(new URL(path, root)))) as object
    const values = names.filter(({ isType }) => !isType).map(({ name }) => name)
    expect(values.toSorted()).toEqual(Object.keys(module).toSorted())
  },
)

it.each(exported)('explains and shows whatever $entry exports', ({ names }) => {
  expect([...new Set(names.flatMap(lacks))]).toEqual([])
})

it('shows every method of what people hold in their hands', () => {
  const all = exported.flatMap(({ names }) => names).filter(({ name }) => handles.includes(name))
  // Entries share what they export.
  const held = [...new Map(all.map((each) => [each.name, each])).values()]
  expect(held.map(({ name }) => name).toSorted()).toEqual(handles)
  expect(held.flatMap(({ methods }) => methods).flatMap(lacks)).toEqual([])
})

it('shows nothing twice, and everything in a few lines', () => {
  const codes = modules.map(({ code }) => code)
  const twice = modules.filter(({ code }, index) => codes.indexOf(code) !== index)
  const long = modules.filter(({ code }) => code.split('\n').length > 12)
  expect([...twice, ...long].map(({ place }) => place)).toEqual([])
})

it('writes examples as all code here is written', async () => {
  const options = JSON.parse(read(new URL('.oxfmtrc.json', root))) as FormatConfig
  const odd: string[] = []
  for (const { code, place } of modules) {
    const formatted = await format('example.ts', `${code}\n`, options)
    if (formatted.code !== `${code}\n`) odd.push(place)
  }
  expect(odd).toEqual([])
})

describe('runs', () => {
  const elsewhere = pathsOf((entry) => onlyCompiled.includes(entry))
  const here = pathsOf((entry) => !onlyCompiled.includes(entry))
  for (const { code, path, place, file } of modules) {
    if (elsewhere.has(path) && !here.has(path)) continue
    const run = async (): Promise<void> => void (await import(fileURLToPath(new URL(file, folder))))
    // An example of tests declares them while it runs, which has to be while tests are collected.
    if (/^(?:it|test)\b/m.test(code)) describe(place, run)
    else it(place, run)
  }
})

function lacks({ name, path, line, docstring }: Declared): string[] {
  const place = `${path}:${line} ${name}`
  if (!/^[^@\s]/.test(docstring)) return [`${place} says nothing in its docstring`]
  return /^@example\s+\S/m.test(docstring) ? [] : [`${place} has no @example`]
}

function pathsOf(isMeant: (entry: string) => boolean): Set<string> {
  const meant = exported.filter(({ entry }) => isMeant(entry))
  return new Set(meant.flatMap(({ names }) => names.map(({ path }) => path)))
}
