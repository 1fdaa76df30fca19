import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { fakers } from './support/fakers.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const examples = join(root, 'examples')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')
const pages = ['testing', 'clocks', 'jest']
const docs = pages.map((page) => read(`docs/how-to/${page}.md`)).join('\n')

// Jest is no dependency: it is large. `.ci/run` installs it into a folder of its own and names that folder here.
const jest = process.env['GREENROOM_JEST']

/** Runs a program as a user would, in a process that knows nothing of the tests around it. */
function run(
  folder: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<{ code: number; printed: string }> {
  const surroundings = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_|JEST)/.test(name))
  const env = { ...Object.fromEntries(surroundings), ...more, CI: '1', NO_COLOR: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, printed: stdout + stderr })
    })
  })
}

const skipped = jest === undefined ? ' (skipped: GREENROOM_JEST names no folder that has it)' : ''
const jestModes = [
  { name: 'jest', flags: ['--experimental-vm-modules'] },
  { name: 'jest-commonjs', flags: [] },
] as const

/** A copy of an example that Jest runs; `change` may edit it first. */
async function runJest(
  { name, flags }: (typeof jestModes)[number],
  judge: (result: { code: number; printed: string }, folder: string) => void,
  { change, env }: { change?: (folder: string) => void; env?: Record<string, string> } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-jest-'))
  try {
    cpSync(join(examples, name), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/greenroom'))
    change?.(folder)
    const program = createRequire(join(jest!, 'package.json')).resolve('jest/bin/jest')
    judge(await run(folder, [...flags, program, '--rootDir', folder], env), folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it.skipIf(jest === undefined).each(jestModes)(
  `names the report of a failed test with GREENROOM_REPORT, in $name${skipped}`,
  { timeout: 240_000 },
  (mode) =>
    runJest(
      mode,
      ({ code, printed }, folder) => {
        expect(code).toBe(1)
        const [, path] = /report: (reports\/makes-a-video-\w{6}\.html)/.exec(printed)!
        expect(readdirSync(join(folder, 'reports'))).toEqual([path!.replace('reports/', '')])
        const report = readFileSync(join(folder, path!), 'utf8')
        const [, json] = /<script id="greenroom-data"[^>]*>(.*?)<\/script>/s.exec(report)!
        const [{ trace, verdict }] = JSON.parse(json!).runs
        expect(verdict.name).toBe('makes a video')
        expect(trace.tasks).toMatchObject([{ request: { prompt: 'a red kite' } }])
      },
      {
        env: { GREENROOM_REPORT: 'reports' },
        change: (folder) => {
          const test = join(folder, 'video.test.js')
          const wrong = readFileSync(test, 'utf8').replace(
            'toHaveDownloaded({ task: video.id })',
            'toHaveDownloaded({ task: video.id }, { times: 7 })',
          )
          writeFileSync(test, wrong)
        },
      },
    ),
)

/** A test of explore: of the client of the examples, and of one that never verifies what it downloads. */
const exploring = (test: string): string => `
const options = { only: ['corrupt bytes', 'silence'] }
const withoutTags = (fetch) => async (...call) => {
  const response = await fetch(...call)
  return new Response(response.body, { status: response.status })
}

${test}('survives what a gateway may do', async () => {
  const { score } = await explore((gateway) => makeVideo('a red kite', gateway), options)
  if (score !== 100) throw new Error('score ' + score)
})

${test}('finds what a careless client does', async () => {
  const careless = (gateway) => makeVideo('a red kite', { ...gateway, fetch: withoutTags(gateway.fetch) })
  const error = await explore(careless, options).catch((error) => error)
  if (!(error instanceof ExploreError)) throw error
  if (!error.message.includes('The client keeps a damaged download (video.content).')) throw error
})
`

it.skipIf(jest === undefined).each(jestModes)(
  `explores a client in $name${skipped}`,
  { timeout: 240_000 },
  (mode) =>
    runJest(
      mode,
      ({ code, printed }) => {
        expect(printed).toContain('Tests:       2 passed, 2 total')
        expect(code).toBe(0)
      },
      {
        change: (folder) => {
          const head =
            mode.name === 'jest'
              ? `import { explore, ExploreError } from 'greenroom'\nimport { makeVideo } from './video.js'\n`
              : `const { explore, ExploreError } = require('greenroom')\nconst { makeVideo } = require('./video.js')\n`
          rmSync(join(folder, 'video.test.js'))
          writeFileSync(join(folder, 'explore.test.js'), head + exploring('test'))
        },
      },
    ),
)

it('explores a client in node:test', { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-node-test-'))
  try {
    cpSync(join(examples, 'node-test'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/greenroom'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const head = `import { test } from 'node:test'\nimport { explore, ExploreError } from 'greenroom'\nimport { makeVideo } from './video.js'\n`
    writeFileSync(join(folder, 'explore.test.js'), head + exploring('test'))
    const { code, printed } = await run(folder, ['--test', 'explore.test.js'])
    expect(printed).toMatch(/pass 2$/m)
    expect(code).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('shows in the how-tos of tests nothing but what these examples run', () => {
  const sources = ['vitest', 'jest', 'jest-commonjs', 'jest-msw', 'node-test'].flatMap((folder) =>
    readdirSync(join(examples, folder))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(examples, folder, name), 'utf8')),
  )
  const snippets = [...docs.matchAll(/```js\n([\s\S]*?)```/g)]
    .map(([, snippet]) => snippet!)
    // Those that say their result run by themselves, in docs.test.ts.
    .filter((snippet) => !snippet.includes('// →'))
  expect(docs).not.toContain('```ts')
  expect(snippets.length).toBeGreaterThan(8)
  for (const snippet of snippets) {
    expect(
      sources.some((source) => source.includes(snippet)),
      `no example has:\n${snippet}`,
    ).toBe(true)
  }
})

it('lists in docs/how-to/clocks.md the ways of faking timers that are tested, and no others', () => {
  const table = docs.slice(docs.indexOf('| Fake timers |'))
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2)
  const words = { turned: 'turn', itself: 'by itself', date: 'Date', refused: 'ClockError' }
  expect(rows).toHaveLength(fakers.length)
  for (const [index, { name, kind }] of fakers.entries()) {
    const [, example, effect] = rows[index]!.split(' | ').map((cell) => cell.replace(/^\| |`/g, ''))
    expect([rows[index]!.slice(2).split(' | ')[0]!.replaceAll('`', ''), effect ?? example]).toEqual([
      name,
      expect.stringContaining(words[kind]),
    ])
  }
})
