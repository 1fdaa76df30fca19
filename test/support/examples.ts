import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shippedNames } from './own-apis.ts'
import { chromiumProgram } from '../browser/chromium.ts'
import { findPython } from './python.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const examplesFolder = join(root, 'examples')

/** How the tests run the README of an example. */
export interface ExampleRun {
  /** What replaces words of the commands, so that they take less time. */
  readonly instead?: readonly [words: string, others: string]
  /** What the commands print in the end. */
  readonly prints: RegExp
  /** What the commands print first; only then does the test look for `prints`, and stop the last command. */
  readonly serves?: true
  /** Returns what is missing on this machine; the example is skipped then. */
  readonly missing?: () => string | undefined
  /** Whether the commands print nothing to standard error. */
  readonly isQuiet?: true
}

const hasProgram = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0
const without = (what: string, isThere: () => boolean) => (): string | undefined =>
  isThere() ? undefined : what

const installs = without(
  'GREENROOM_TEST_INSTALLS=1, which lets tests install packages',
  () => process.env['GREENROOM_TEST_INSTALLS'] === '1',
)

/** The Python that has the packages of the example: Debian's, where the first of PATH is another. */
const python = findPython('pytest', 'requests')

const pythonFolder = python?.startsWith('/') ? `${dirname(python)}:` : ''

export const exampleRuns: Readonly<Record<string, ExampleRun>> = {
  'ai-sdk': {
    isQuiet: true,
    prints: /^given up\nafter 10000 virtual milliseconds, with 8 tokens\nthe journal says aborted\n$/,
  },
  apis: { prints: new RegExp(`(^✓ \\w+(?:-\\w+)*\\.yaml: [^]*){${shippedNames.length}}`, 'm') },
  browser: { prints: /Local: +http:\/\/localhost:\d+/, serves: true, missing: installs },
  ci: { isQuiet: true, prints: /✓ flaky-network\.yaml: a flaky network, seed 7/ },
  // examples/vitest explores the same client with every fault.
  explore: {
    instead: ['explore --virtual-timers', 'explore --virtual-timers --only 503 --only truncate --only hang'],
    prints: /^ *baseline run: \d+ requests/m,
  },
  genai: {
    isQuiet: true,
    prints: /^Paris\. \d+ tokens\nstreamed true\ncity string\nblocked for SAFETY\nrefused with 429\n$/,
  },
  go: { prints: /(--- PASS: [^]*){3}ok/, missing: without('golang-go', () => hasProgram('go', 'version')) },
  jest: { prints: /Tests: +2 passed, 2 total/, missing: installs },
  'jest-commonjs': { prints: /Tests: +5 passed, 5 total/, missing: installs },
  'jest-msw': { prints: /Tests: +1 passed, 1 total/, missing: installs },
  'next-route': { prints: /Tests +6 passed \(6\)/ },
  'node-test': { isQuiet: true, prints: /^[#ℹ] fail 0$/m },
  'http-middleware': { isQuiet: true, prints: /^[#ℹ] pass 3\n[^]*^[#ℹ] fail 0$/m },
  openai: {
    isQuiet: true,
    prints: /kite[^]*\ncalls get_weather \{"city":"Oslo"\}\n.*17.*\nexchanges 3 tokens/,
  },
  playwright: {
    prints: /^[#ℹ] pass 2\n[#ℹ] fail 0$/m,
    missing: without('chromium', () => existsSync(chromiumProgram)),
  },
  python: {
    prints: /3 passed[^]*tasks: 3 submitted, 3 followed to the end/,
    missing: without('python3-pytest and python3-requests', () => python !== undefined),
  },
  react: {
    prints: existsSync(chromiumProgram) ? /6 passed \| 1 skipped/ : /3 passed \| 1 skipped/,
    missing: installs,
  },
  sharded: {
    prints: /(http:[^]*){4}/,
    serves: true,
    missing: without('nginx', () => hasProgram('nginx', '-v')),
  },
  shell: {
    prints: /gave up a poll after 30 virtual seconds\nmade video\.mp4 in/,
    missing: without('curl', () => hasProgram('curl', '--version')),
  },
  vitest: { prints: /Tests +(\d{3}) passed \(\1\)/ },
  worker: { prints: /^ *found nothing/m },
}

/** Returns the commands of an example: the one block of its README that is for a shell. */
export function commandsOf(name: string): string[] {
  const readme = readFileSync(join(examplesFolder, name, 'README.md'), 'utf8')
  const blocks = Array.from(readme.matchAll(/```sh\n([^]*?)```/g), ([, block]) => block!.trim())
  if (blocks.length !== 1)
    throw new Error(`examples/${name}/README.md has ${blocks.length} blocks for a shell, not 1`)
  return blocks[0]!.split('\n')
}

/** Copies what a clone has after `npm ci`, since commands leave files behind. */
export function makeClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'greenroom-clone-'))
  const parts = 'package.json package-lock.json tsconfig.json tsconfig.build.json .npmrc LICENSE README.md'
  const folders = 'dist python src scripts scenarios schema fixtures/clips examples'
  for (const part of `${parts} ${folders}`.split(' ')) {
    mkdirSync(dirname(join(clone, part)), { recursive: true })
    cpSync(join(root, part), join(clone, part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules', root.length),
    })
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction')
  return clone
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const installCommand = 'npm install --install-links'

/** Where examples with packages of their own are in a clone. */
const installed = 'installed'

const packagesOf = (name: string): Packages | undefined => {
  const file = join(examplesFolder, name, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Packages) : undefined
}

/**
 * Installs the packages of all examples once, into a folder that they share, with the command that each README has, and
 * runs the scripts that `npm install` runs.
 */
export async function installPackages(clone: string): Promise<Ended> {
  const folder = join(clone, installed)
  const all: Record<string, string> = {}
  const commands = [installCommand]
  for (const name of Object.keys(exampleRuns)) {
    const packages = packagesOf(name)
    if (packages === undefined) continue
    cpSync(join(clone, 'examples', name), join(folder, name), { recursive: true })
    Object.assign(all, packages.dependencies, packages.devDependencies)
    commands.push(`npm run prepare --if-present --prefix ${name}`)
  }
  const dependencies = { ...all, greenroom: 'file:..' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  return run(folder, commands.join('\n'))
}

export interface Packages {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Runs the commands of an example as its README has them; `installPackages` has installed what they need. */
export function runExample(clone: string, name: string): Promise<Ended> {
  const { instead: [words, others] = ['', ''], prints, serves } = exampleRuns[name]!
  const commands = commandsOf(name)
    .filter((command) => command !== installCommand)
    .map((command) => (words === '' ? command : command.replace(words, others)))
  const folder = packagesOf(name) === undefined ? 'examples' : installed
  return run(join(clone, folder, name), commands.join('\n'), serves && prints)
}

/**
 * Runs commands in a shell that knows nothing of the tests around it.
 *
 * @param until is printed by a command that does not end by itself.
 */
async function run(folder: string, commands: string, until?: RegExp): Promise<Ended> {
  const outside = Object.entries(process.env).filter(
    ([key]) => !/^(?:VITEST|NODE_|JEST|npm_|GITHUB_)/.test(key),
  )
  const [port, shardPort] = await freePorts()
  const env = {
    ...Object.fromEntries(outside),
    PATH: `${pythonFolder}${dirname(process.execPath)}:${process.env['PATH']}`,
    CI: '1',
    NO_COLOR: '1',
    PORT: String(port),
    SHARD_PORT: String(shardPort),
  }
  const child = spawn('sh', ['-ec', commands], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += String(chunk)
    // As Ctrl-C does, to every process of the terminal.
    if (until?.test(stdout)) process.kill(-child.pid!, 'SIGINT')
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Returns a free port, and the first of four in a row that are likely to be free. */
async function freePorts(): Promise<[number, number]> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return [port, (port % 20_000) + 10_000]
}
