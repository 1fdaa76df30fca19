import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { firstApis } from '../../src/cli/project/scenario-draft.ts'
import { acmeDefinition } from '../support/acme-definition.ts'
import { folderWith, runIn } from './run-in-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const jest = process.env['GREENROOM_JEST']

interface Setting {
  readonly manifest?: object
  readonly files?: Readonly<Record<string, string>>
  /** A folder whose packages the project has, too. */
  readonly packages?: string
}

/** A project in which greenroom is installed. */
function project({ manifest = {}, files = {}, packages }: Setting): string {
  const folder = folderWith({ 'package.json': JSON.stringify({ private: true, ...manifest }), ...files })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync(root, join(modules, 'greenroom'))
  symlinkSync(join(root, 'dist/cli/main.js'), join(modules, '.bin/greenroom'))
  if (packages === undefined) return folder
  for (const name of readdirSync(packages)) {
    if (!name.startsWith('.')) symlinkSync(join(packages, name), join(modules, name))
  }
  for (const name of ['jest', 'vitest'] as const) {
    const program = join(packages, '.bin', name)
    if (existsSync(program)) symlinkSync(program, join(modules, '.bin', name))
  }
  return folder
}

/** Runs the commands that init printed for a CI, in a shell. */
async function passes(folder: string, words: readonly string[]): Promise<void> {
  const { code, printed, warned } = await runIn(folder, ['init', '--force', ...words])
  expect([code, warned]).toEqual([0, ''])
  for (const file of ['greenroom.config.yaml', 'scenarios/busy-gateway.yaml']) {
    const [, schema] = /^# yaml-language-server: \$schema=(.*)$/m.exec(
      readFileSync(join(folder, file), 'utf8'),
    )!
    expect(existsSync(resolve(folder, file, '..', schema!))).toBe(true)
  }
  const command = printed.split(/\n {2}# .*\n/).at(-1)!
  const own = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_|JEST|npm_)/.test(name))
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { ...Object.fromEntries(own), PATH: path, CI: '1', NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
}

it.each(firstApis)('writes for %s what passes with node:test', { timeout: 120_000 }, async (api) => {
  await passes(project({}), ['--api', api])
})

const own = join(root, 'node_modules')
const tsconfig = { 'tsconfig.json': '{"compilerOptions":{"strict":true}}' }

it.each([
  ['JavaScript', {}, []],
  ['TypeScript', tsconfig, ['--api', 'chat']],
])('writes what passes with Vitest, in %s', { timeout: 240_000 }, async (_name, files, words) => {
  const manifest = { devDependencies: { vitest: '4' } }
  await passes(project({ manifest, files, packages: own }), words)
})

it('writes TypeScript that the compiler accepts, for every API', { timeout: 120_000 }, async () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    skipLibCheck: true,
    types: ['node'],
  }
  const files = { 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['test'] }) }
  const folder = project({
    manifest: { type: 'module', devDependencies: { vitest: '4' } },
    files,
    packages: own,
  })
  for (const api of firstApis) {
    await runIn(folder, ['init', '--api', api, '--force'])
    renameSync(join(folder, 'test/gateway.test.ts'), join(folder, `test/${api}.test.ts`))
  }
  const compiler = join(folder, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler], { cwd: folder, encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})

it('writes what passes in a package of npm workspaces', { timeout: 240_000 }, async () => {
  const manifest = { workspaces: ['packages/*'], devDependencies: { vitest: '4' } }
  const folder = join(project({ manifest, packages: own }), 'packages/app')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"app","scripts":{"test":"vitest run"}}')
  await passes(folder, ['--api', 'drawing'])
})

const jestPackages = jest === undefined ? '' : join(jest, 'node_modules')
const hasTsJest = existsSync(join(jestPackages, 'ts-jest'))

/** Jest transforms no package. It would transform greenroom, which is a link here. */
const withJest = { devDependencies: { jest: '30' }, jest: { transformIgnorePatterns: ['/dist/'] } }

it.skipIf(jest === undefined).each([
  ['CommonJS', withJest],
  [
    'ES modules',
    { ...withJest, type: 'module', scripts: { test: 'NODE_OPTIONS=--experimental-vm-modules jest' } },
  ],
])(
  `writes what passes with Jest, in %s${jest === undefined ? ' (skipped: GREENROOM_JEST names no folder that has it)' : ''}`,
  { timeout: 240_000 },
  (_name, manifest) => passes(project({ manifest, packages: jestPackages }), []),
)

it.skipIf(!hasTsJest).each([
  ['with @types/jest', { '@types/jest': '30' }, 'drawing'],
  ['without @types/jest', {}, 'text'],
])(
  `writes what ts-jest compiles and passes, %s${hasTsJest ? '' : ' (skipped: GREENROOM_JEST names no folder that has ts-jest)'}`,
  { timeout: 240_000 },
  async (_name, types, api) => {
    const compilerOptions = { module: 'commonjs', target: 'es2022', strict: true, esModuleInterop: true }
    const files = { 'tsconfig.json': JSON.stringify({ compilerOptions }) }
    const devDependencies = { jest: '30', 'ts-jest': '29', ...types }
    const manifest = { devDependencies, jest: { preset: 'ts-jest' } }
    await passes(project({ manifest, files, packages: jestPackages }), ['--api', api])
  },
)

const hasPytest = spawnSync('python3', ['-c', 'import pytest'], {
  env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
})

it.skipIf(hasPytest.status !== 0).each(['video', 'chat'])(
  `writes tests for pytest that pass: %s${hasPytest.status === 0 ? '' : ' (skipped: needs pytest)'}`,
  { timeout: 180_000 },
  (api) => passes(project({}), ['--yes', '--runner', 'pytest', '--api', api]),
)

it('writes a test with a client of an API in a file, which passes', async () => {
  const folder = project({ files: { 'acme.mjs': acmeDefinition } })
  await passes(folder, ['--yes', '--api', './acme.mjs', '--runner', 'node'])
})
