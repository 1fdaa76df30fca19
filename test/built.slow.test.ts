import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { plainCommand, serve } from './support/served.ts'
import { temporaryFolder } from './support/stopped-at-random.ts'

const built = (path: string): URL => new URL(`../dist/${path}`, import.meta.url)

/** The files of ours that are read as soon as one is, with how many bytes they have. */
function readWith(file: URL, found = new Map<string, number>()): Map<string, number> {
  if (found.has(file.href)) return found
  const text = readFileSync(file, 'utf8')
  found.set(file.href, text.length)
  for (const [, path] of text.matchAll(/^(?:import|export)\b[^'";]*"(\.[^"]+)";$/gm))
    readWith(new URL(path!, file), found)
  return found
}

const bytesIn = (files: ReadonlyMap<string, number>): number =>
  [...files.values()].reduce((sum, bytes) => sum + bytes, 0)

it('reads a server from few files: to find one takes as long as to read a thousand lines', () => {
  const files = readWith(built('server/index.js'))
  expect(files.size).toBeLessThan(16)
  expect(bytesIn(files)).toBeGreaterThan(300_000)
})

it('has every file that package.json names', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const paths = [...text.matchAll(/"\.\/dist\/([\w./]+\.(?:c?js|d\.c?ts))"/g)].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(built(path)))).toEqual([])
})

it('starts no simulator for the matchers, which are for the tests of everyone', () => {
  expect(bytesIn(readWith(built('matchers/index.js')))).toBeLessThan(300_000)
})

it('is executable after a build, since npx runs the file itself', () => {
  expect(() => accessSync(built('cli/main.js'), constants.X_OK)).not.toThrow()
})

it('loads the parser of the command line, but no simulator, for --help', () => {
  const files = readWith(built('cli/main.js'))
  expect(files.size).toBeLessThan(12)
  expect(bytesIn(files)).toBeLessThan(450_000)
})

it('responds to the first request without a package, since sharp alone takes as long as the rest', async () => {
  const folder = temporaryFolder({})
  vi.stubEnv('NODE_V8_COVERAGE', folder)
  const { child, url } = await serve(plainCommand)
  vi.unstubAllEnvs()
  const health = await fetch(`${url}/_greenroom/health`)
  child.kill()
  await once(child, 'exit')
  const loaded = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  expect(health.status).toBe(200)
  expect(loaded.join()).toContain('/dist/cli/main.js')
  expect(loaded.join()).not.toContain('/node_modules/')
})

it.runIf('enableCompileCache' in nodeModule)(
  'lets Node store what it compiled, which halves the next start',
  () => {
    const folder = temporaryFolder({})
    const environment = { ...process.env, TMPDIR: folder, TEMP: folder, NODE_COMPILE_CACHE: undefined }
    spawnSync(process.execPath, [fileURLToPath(built('cli/main.js')), 'scenarios'], { env: environment })
    expect(readdirSync(folder)).toEqual(['node-compile-cache'])
  },
)

it('keeps a process going as long as a client waits for its answer or more of it, so that its own deadline can come', () => {
  const program = `
    import { createSimulator } from ${JSON.stringify(built('index.js').href)}
    const sim = createSimulator()
    sim.next('models.list', { delay: 'forever' })
    sim.next('models.get', { fault: { type: 'drip', bytesPerSecond: 1e-9 } })
    for (const path of ['/v1/models', '/v1/models/sim-text-1']) {
      const init = { headers: { authorization: 'Bearer sk-test' }, signal: AbortSignal.timeout(400) }
      try {
        const response = await sim.fetch('https://gateway.example' + path, init)
        console.log(response.status)
        await response.text()
      } catch ({ name }) {
        console.log(name)
      }
    }
  `
  const node = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(node).toMatchObject({ stdout: 'TimeoutError\n200\nTimeoutError\n', status: 0 })
})

it('runs each command without the packages that only tests have', () => {
  const found = new Map<string, string>()
  const visit = (file: URL): void => {
    if (found.has(file.href)) return
    const text = readFileSync(file, 'utf8')
    found.set(file.href, text)
    for (const [, path] of text.matchAll(/(?:^(?:import|export)\b[^'";]*|\bimport\()"(\.[^"]+\.js)"/gm))
      visit(new URL(path!, file))
  }
  visit(built('cli/main.js'))
  expect(found.size).toBeGreaterThan(30)
  const loading = [...found].filter(([, text]) =>
    /^import\b[^;]*"(?:vitest|msw|jest)(?:\/[^"]*)?";$/m.test(text),
  )
  expect(loading.map(([file]) => file)).toEqual([])
})
