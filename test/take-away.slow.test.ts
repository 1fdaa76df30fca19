import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Api } from '../src/apis/define/api.ts'
import { apis } from '../src/apis/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const copied = ['src', 'test', 'fixtures', 'scenarios', 'schema', 'package.json', 'tsconfig.json']
const shared = ['node_modules', 'dist', 'scripts', 'examples']

/** Copies the sources without some APIs: their folders, the folders of their tests, and their entries in the list. */
function copyWithout(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-without-'))
  for (const name of [...copied, 'vitest.config.ts'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const name of shared) symlinkSync(join(root, name), join(folder, name))
  const list = join(folder, 'src/apis/index.ts')
  for (const api of names) {
    for (const room of ['src', 'test']) rmSync(join(folder, room, 'apis', api), { recursive: true })
    const text = readFileSync(list, 'utf8')
    const [line, name] = new RegExp(`^import \\{ (\\w+) \\} from '\\./${api}/api\\.ts'\\n`, 'm').exec(text)!
    writeFileSync(list, text.replace(line, '').replace(`  ${name},\n`, ''))
  }
  writeFileSync(join(folder, 'tsconfig.src.json'), '{ "extends": "./tsconfig.json", "include": ["src"] }')
  return folder
}

function run(folder: string, script: string, args: readonly string[]): string {
  const program = join(root, 'node_modules', script)
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    // The compiler is a program in Go: fewer collections of its memory save processor time.
    env: { GOGC: '400', ...process.env, NO_COLOR: '1' },
  })
  return status === 0 ? '' : `${stdout}\n${stderr}`
}

/** A test that these settings are unknown, and others known. */
function testWithout(settings: readonly string[]): string {
  return `
    import { expect, it } from 'vitest'
    import { createSimulator } from '../src/index.ts'
    it('knows no other settings', () => {
      for (const name of ${JSON.stringify(settings)}) {
        const message = \`Failed to read the options: \${name} is not known. Known here: seed, apis, \`
        expect(() => createSimulator({ [name]: {} })).toThrow(message)
      }
      expect(() => createSimulator({ video: { seconds: { max: 0 } } })).toThrow('video.seconds.max is 0: must be')
    })
  `
}

const removed = ['drawing', 'embeddings', 'responses']

it.each(removed)('without the API %s, the sources compile', { timeout: 120_000 }, (api) => {
  const folder = copyWithout([api])
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(run(folder, 'typescript/bin/tsc', ['--noEmit', '--checkers', '1', '-p', 'tsconfig.src.json'])).toBe(
    '',
  )
})

describe(`without the APIs ${removed.join(', ')}`, () => {
  let folder = ''
  beforeAll(() => void (folder = copyWithout(removed)))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('options and files have no settings of them', () => {
    const settings = (apis as readonly Api[])
      .filter(({ name }) => removed.includes(name))
      .flatMap((api) => Object.keys(api.settings?.options ?? {}))
    writeFileSync(join(folder, 'test/without.test.ts'), testWithout(settings))
    expect(run(folder, 'vitest/vitest.mjs', ['run', '--project', 'shared', 'test/without.test.ts'])).toBe('')
  }, 120_000)

  it('the tests of the other APIs pass', () => {
    const others = readdirSync(join(folder, 'test/apis'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `test/apis/${name}/`)
    expect(others.length).toBeGreaterThan(8)
    // One transport is enough here: with the others, these tests run in the project itself.
    const names = '^(?!.*with transport (?:msw|socket|express))'
    // What is compiled in this folder can't be used again.
    const flags = ['--project', 'shared', '--experimental.fsModuleCache=false', '-t', names]
    expect(run(folder, 'vitest/vitest.mjs', ['run', ...flags, ...others])).toBe('')
  }, 600_000)
})
