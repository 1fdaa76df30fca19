import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { format, type FormatConfig } from 'oxfmt'
import { describe, expect, it, vi } from 'vitest'
import { entries, examples, exportsOf, type Declared } from './support/docstrings.ts'
import { linesBefore, moduleFolder, moduleOf } from './support/example-module.ts'

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
const modules = examples().map((example) => ({
  ...example,
  place: `${example.path}:${example.line}`,
  file: `${example.path.replace(/\.[tj]s$/, '').replaceAll('/', '-')}-${example.line}.ts`,
  text: moduleOf(example),
}))

// The compiler reads all of src, which takes long where others are busy, too.
vi.setConfig({ testTimeout: 120_000 })

writeModules()
const compiled = compileModules()

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

it('compiles every example', async () => {
  expect(await compiled).toEqual([])
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

/** Writes what has changed only, so that tests that watch their files come to rest. */
function writeModules(): void {
  mkdirSync(folder, { recursive: true })
  const compilerOptions = {
    rootDir: '../..',
    noUnusedLocals: false,
    incremental: true,
    tsBuildInfoFile: 'compiled.json',
  }
  const settings = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }
  const wanted = new Map(modules.map(({ file, text }) => [file, text]))
  wanted.set('tsconfig.json', JSON.stringify(settings))
  const there = new Set(readdirSync(folder))
  for (const [file, text] of wanted) {
    const url = new URL(file, folder)
    if (!there.has(file) || read(url) !== text) writeFileSync(url, text)
  }
  for (const file of there) if (file.endsWith('.ts') && !wanted.has(file)) rmSync(new URL(file, folder))
}

/** @returns the compiler's complaints, with their places in src. */
async function compileModules(): Promise<string[]> {
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
  const compiled = promisify(execFile)(
    process.execPath,
    [compiler, '--pretty', 'false', '-p', moduleFolder],
    {
      cwd: fileURLToPath(root),
    },
  )
  const { stdout } = await compiled.catch((error: Error & { stdout: string }) => ({
    stdout: error.stdout || error.message,
  }))
  return stdout.split('\n').flatMap((complaint) => {
    const [, file, at, message] = /([\w-]+\.ts)\((\d+),\d+\): error (.*)$/.exec(complaint) ?? []
    const found = modules.find((each) => each.file === file)
    if (found) return [`${found.path}:${found.line + Number(at) - 1 - linesBefore}: ${message}`]
    // What is indented goes on about the complaint before.
    return /^\S/.test(complaint) ? [complaint] : []
  })
}
