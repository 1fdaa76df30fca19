import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { fakers } from './support/fakers.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const examples = join(root, 'examples')
const docs = readFileSync(join(root, 'docs/how-to/testing.md'), 'utf8')

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

it('runs the examples of Vitest', { timeout: 240_000 }, async () => {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const { code, printed } = await run(join(examples, 'vitest'), [vitest, 'run', '--root', '.'])
  expect(printed).toMatch(/Tests\s+110 passed \(110\)/)
  expect(code).toBe(0)
})

it('runs the example of node:test', { timeout: 240_000 }, async () => {
  const { code, printed } = await run(join(examples, 'node-test'), ['--test'])
  expect(printed).toMatch(/pass 1$/m)
  expect(code).toBe(0)
})

it.skipIf(jest === undefined).each([
  { name: 'jest', flags: ['--experimental-vm-modules'], tests: 2 },
  { name: 'jest-commonjs', flags: [], tests: 5 },
])(
  `runs the example $name${jest === undefined ? ' (skipped: GREENROOM_JEST names no folder that has it)' : ''}`,
  { timeout: 240_000 },
  async ({ name, flags, tests }) => {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-jest-'))
    try {
      cpSync(join(examples, name), folder, { recursive: true })
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(root, join(folder, 'node_modules/greenroom'))
      const program = createRequire(join(jest!, 'package.json')).resolve('jest/bin/jest')
      const { code, printed } = await run(folder, [...flags, program, '--rootDir', folder])
      expect(printed).toContain(`Tests:       ${tests} passed, ${tests} total`)
      expect(code).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

it('has one client in all examples', () => {
  const clientOf = (folder: string): string => readFileSync(join(examples, folder, 'video.js'), 'utf8')
  const [one, ...others] = ['vitest', 'jest', 'jest-msw', 'node-test', 'ci'].map(clientOf)
  for (const other of others) expect(other).toBe(one)
  const required = one!.replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)')
  const commonjs = `${required.replace('\nexport async', '\nasync')}\nmodule.exports = { makeVideo }\n`
  expect(clientOf('jest-commonjs')).toBe(commonjs)
})

it('shows in docs/how-to/testing.md and the README nothing but what these examples run', () => {
  const sources = ['vitest', 'jest', 'jest-commonjs', 'jest-msw', 'node-test'].flatMap((folder) =>
    readdirSync(join(examples, folder))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(examples, folder, name), 'utf8')),
  )
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const snippets = [...`${docs}\n${readme}`.matchAll(/```js\n([\s\S]*?)```/g)].map(([, snippet]) => snippet!)
  expect(docs).not.toContain('```ts')
  expect(snippets.length).toBeGreaterThan(8)
  for (const snippet of snippets) {
    expect(
      sources.some((source) => source.includes(snippet)),
      `no example has:\n${snippet}`,
    ).toBe(true)
  }
})

it('lists in docs/how-to/testing.md the ways of faking timers that are tested, and no others', () => {
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
