import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { quoted } from '../bench/page.js'
import { pasteHelp } from '../src/cli/serve/banner.ts'
import { parseConfig } from './support/parse-config.ts'
import { pickServerFlags, serveFlagNames } from '../src/cli/serve/server-flags.ts'
import { controlRoutes } from '../src/control/control.ts'
import { optionDefaults } from '../src/scenario/vocabulary/defaults.ts'
import { createSimulator, loadScenario } from '../src/index.ts'
import { lintLoaded } from '../src/files/lint/lint.ts'
import { boxesOf } from './media/clips.ts'
import { failuresOf, play } from './support/play.ts'
import { needs } from './support/needs.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

it('prints in the README the lines that the banner prints', () => {
  needs('video.submit', 'chat.complete', 'mj.imagine', 'text.generate', 'messages.create')
  const readme = read('README.md')
  const help = pasteHelp({ url: `http://${optionDefaults.host}:${optionDefaults.port}`, key: 'sk-greenroom' })
  const lines = help.split('\n').filter((line) => line.includes('curl '))
  expect(lines).toHaveLength(4)
  for (const line of lines) expect(readme).toContain(line)
})

it('keeps the README short: at most 700 words, code and tables apart', () => {
  const prose = read('README.md')
    .replace(/```[^]*?```|<picture>[^]*?<\/picture>|<!--.*?-->|^\|.*$/gm, '')
    .replace(/!\[[^\]]*\]|\]\([^)]*\)/g, ' ')
  expect(prose.split(/\s+/).length).toBeLessThan(700)
})

it('has badges in the README that are true', () => {
  const [top] = read('README.md').split('\n## ')
  const { engines, license, types } = JSON.parse(read('package.json'))
  const badges = [...top!.matchAll(/\/badge\/(\w+)-(.+)-\w+\)/g)].map(([, name, value]) => [
    name,
    decodeURIComponent(value!),
  ])
  expect(badges).toEqual([
    ['node', engines.node.replace(/^>=(\d+\.\d+)\.0$/, '≥ $1')],
    ['license', license],
    ['types', types && 'included'],
  ])
})

const filesOf = (folder: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[tj]s$/.test(path))
    .map((path) => read(`${folder}/${path}`))

it('lists in the README the packages that src loads, each exercised by a test', () => {
  const [, table] = /## Packages\n([^]*?)\n## /.exec(read('README.md'))!
  const cells = Array.from(table!.matchAll(/^\| (`.+?`) \|/gm), ([, cell]) => cell!)
  const packages = cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!))
  expect(packages).toHaveLength(10)
  const [sources, tests] = [filesOf('src'), filesOf('test')]
  for (const name of packages) {
    const load = new RegExp(`(?:from|import\\(|require\\(|resolve\\(|\\('?)\\s*'${name}['/]`)
    expect(
      sources.some((text) => load.test(text)),
      `src loads ${name}`,
    ).toBe(true)
    expect(
      tests.some((text) => text.includes(name)),
      `a test names ${name}`,
    ).toBe(true)
  }
})

it('names only pages that exist, in texts of src and in docs', () => {
  const pages = readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
  // Coding agents read AGENTS.md in the user's project.
  const exists = (name: string): boolean =>
    name === 'AGENTS.md' ||
    existsSync(new URL(name, root)) ||
    existsSync(new URL(`skills/${name}`, root)) ||
    pages.some((page) => page.endsWith(`/${name}`))
  const texts = ['README.md', ...pages].map((path) => [path, read(path)] as const)
  for (const text of filesOf('src')) texts.push(['src', text])
  const dead = texts.flatMap(([from, text]) =>
    Array.from(text.matchAll(/(?<![\w*.-])(?:[\w-]+\/)*[\w-]+\.md\b/g), ([name]) => name)
      .filter((name) => !exists(name))
      .map((name) => `${from}: ${name}`),
  )
  expect(dead).toEqual([])
})

it.each(['README.md', 'docs/explanation/architecture.md'])(
  'quotes in %s the figures that the benchmarks have',
  (path) => {
    const page = read(path)
    expect(page).toContain('<!-- figure: Polls')
    expect(quoted(page, read('bench/benchmarks.md'))).toBe(page)
  },
)

it('names in the first tutorial the task that its command makes', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch('/v1/video/generations', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-greenroom', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'video-1', prompt: 'a paper boat in the rain' }),
  })
  const { task_id: id } = (await response.json()) as { task_id: string }
  expect(read('docs/tutorials/first-video.md')).toContain(id)
})

it('shows in docs/reference/config.md a config that is valid', async () => {
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(read('docs/reference/config.md'))!
  expect(await parseConfig('docs/reference/config.md', example!)).toMatchObject({
    port: 4646,
    host: '127.0.0.1',
  })
})

it('shows in the README a scenario that has no mistakes, and that a good client passes', async () => {
  const [, example] = /```yaml\n(# flaky\.yaml\n[\s\S]*?)```/.exec(read('README.md'))!
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'flaky.yaml')
  writeFileSync(path, example!)
  const loaded = await loadScenario(path)
  expect(lintLoaded(loaded)).toEqual([])
  expect(failuresOf((await play(loaded)).verdict)).toEqual([])
})

it('explains every flag and every control call somewhere', () => {
  for (const [name, { describe }] of Object.entries(pickServerFlags(serveFlagNames)))
    expect(describe, name).toBeTruthy()
  const docs = read('docs/reference/control-plane.md')
  for (const { path } of controlRoutes) expect(docs).toContain(path)
})

it('runs the lifecycle of docs/reference/config.md', async () => {
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(read('docs/reference/config.md'))!
  const { video } = await parseConfig('docs/reference/config.md', example!)
  await using sim = createSimulator({ video: video!, cacheDir: false, clock: { mode: 'manual' } })
  const response = await sim.fetch('/v1/video/generations', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'video-1', prompt: 'a kite' }),
  })
  const { task_id: id } = (await response.json()) as { task_id: string }
  const [queued, working] = sim.task(id).timeline
  expect(working!.from - queued!.from).toBe(1_000)
})

it.each(readdirSync(new URL('fixtures/clips/', root)))(
  'ships fixtures/clips/%s as a video that plays',
  (name) => {
    const [, width, height, seconds] = /-(\d+)x(\d+)-(\d+)s\.mp4$/.exec(name)!
    expect(boxesOf(readFileSync(new URL(`fixtures/clips/${name}`, root)))).toMatchObject({
      codec: expect.stringMatching(/^avc1\./),
      width: Number(width),
      height: Number(height),
      seconds: Number(seconds),
    })
  },
)

it('shows in docs/how-to/browser.md what the examples do', () => {
  const docs = read('docs/how-to/browser.md')
  expect(docs).toContain(read('examples/browser/gateway.js'))
  const example = read('examples/playwright/video.test.js').replace(/^ +/gm, '')
  const snippets = [...docs.split('## From a test')[1]!.matchAll(/```js\n([\s\S]*?)```/g)]
  expect(snippets).toHaveLength(2)
  for (const [, part] of snippets) expect(example).toContain(part!.replace(/^ +/gm, ''))
})
