// Runs the clients of test/clients against a packed greenroom: each in a folder of its own with a lock file of its own.
//   node scripts/ci-clients.js greenroom-0.4.0.tgz [--only NAME] [--write]
// With --write it also writes the table of clients in docs/reference/sdks.md.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listClients, writeClientTable } from './client-table.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, write: { type: 'boolean' } },
})
const [tarball] = positionals
if (!tarball) throw new Error('Name the tarball: node scripts/ci-clients.js greenroom-0.4.0.tgz')

const packed = resolve(tarball)
/** The Python that has requests: Debian's, where another one comes first in PATH. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import requests'], { stdio: 'ignore' }).status === 0,
)
/** Most of them wait for texts that come in real time. */
const clientsAtOnce = 3
const npmFlags = ['--no-audit', '--no-fund', '--loglevel', 'error', '--ignore-scripts']
/** @type {Record<string, string>} by the file's extension */
const programs = { '.js': process.execPath, '.py': python ?? 'python3', '.sh': 'bash' }

const scratch = mkdtempSync(join(tmpdir(), 'greenroom-clients-'))
/** @type {Set<import('node:child_process').ChildProcess>} */
const servers = new Set()
process.on('exit', () => {
  for (const server of servers) server.kill()
  rmSync(scratch, { recursive: true, force: true })
})
cpSync(fileURLToPath(new URL('../test/clients', import.meta.url)), scratch, {
  recursive: true,
  filter: (path) => !path.includes('node_modules'),
})
const serverFolder = join(scratch, 'server')
await run('npm', ['install', '--prefix', serverFolder, ...npmFlags, packed], scratch)
let failed = 0
let passed = 0
/** @type {Record<string, string[]>} */
const results = {}

const clients = listClients().filter(({ name }) => !values.only || values.only === name)
await Promise.all(
  Array.from({ length: clientsAtOnce }, async () => {
    for (let client = clients.shift(); client; client = clients.shift()) await runClient(client)
  }),
)
console.log(`${passed} passed, ${failed} failed`)
if (values.write && failed === 0) writeClientTable(results)
process.exitCode = failed === 0 ? 0 : 1

/**
 * Runs a client with a server of its own: clients advance the clock and read the latest entries of the journal.
 * @param {{ name: string; file: string }} client
 */
async function runClient({ name, file }) {
  const folder = join(scratch, name)
  const missing = findMissing(name, file)
  if (missing) {
    console.log(`Skipped: ${name}. ${missing} is not installed.`)
    return
  }
  if (existsSync(join(folder, 'package-lock.json'))) {
    await run('npm', ['ci', ...npmFlags], folder)
    if (readFileSync(join(folder, file), 'utf8').includes("from 'greenroom'")) {
      await run('npm', ['install', '--no-save', ...npmFlags, packed], folder)
    }
  }
  const server = await startServer(folder)
  const start = performance.now()
  const { stdout, stderr, status } = await execute(programs[extname(file)] ?? '', [file], {
    cwd: folder,
    timeout: 300_000,
    env: { ...process.env, GREENROOM_URL: server.url },
  })
  server.child.kill()
  servers.delete(server.child)
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"step"'))
  const steps = lines.map((line) => JSON.parse(line))
  const failures = steps.filter(({ error }) => error !== undefined)
  passed += steps.length - failures.length
  failed += failures.length
  results[name] = steps.map(({ step }) => step)
  console.log(
    `${name}: ${steps.length - failures.length} of ${steps.length} steps (${Math.round(performance.now() - start)} ms)`,
  )
  for (const { step, error } of failures) console.log(`  ${step}\n${String(error).replace(/^/gm, '    ')}`)
  if (steps.length === 0 || (status !== 0 && failures.length === 0)) {
    failed++
    console.log(`  exit code ${status}\n${stdout}${stderr}`)
  }
}

/** @param {string} folder of the client, which may have a config file for its server */
async function startServer(folder) {
  const config = join(folder, 'greenroom.config.yaml')
  const args = [join(serverFolder, 'node_modules/greenroom/dist/cli/main.js'), 'serve', '--port', '0']
  if (existsSync(config)) args.push('--config', config)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: serverFolder })
  servers.add(child)
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url) {
      child.stdout.resume()
      return { child, url }
    }
  }
  throw new Error(`serve ended with ${await once(child, 'exit')}`)
}

/**
 * The program or package that a client needs and this machine doesn't have.
 * @param {string} name
 * @param {string} file
 */
function findMissing(name, file) {
  /** @type {(program: string, ...args: string[]) => boolean} */
  const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0
  if (file.endsWith('.py') && !python) return "Python's requests"
  if (file.endsWith('.sh') && !has('curl', '--version')) return 'curl'
  const minNode = readMinNode(name)
  if (minNode && !isAtLeast(process.versions.node, minNode)) return `Node ${minNode}`
  if (name.startsWith('nginx') && !(has('nginx', '-v') && has('curl', '--version'))) return 'nginx or curl'
  return undefined
}

/** @param {string} name */
function readMinNode(name) {
  const file = join(scratch, name, 'package.json')
  if (!existsSync(file)) return undefined
  return JSON.parse(readFileSync(file, 'utf8')).engines?.node.replace('>=', '')
}

/**
 * @param {string} version
 * @param {string} minVersion
 */
function isAtLeast(version, minVersion) {
  return version.localeCompare(minVersion, undefined, { numeric: true }) >= 0
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
async function run(program, args, cwd) {
  const { status, stdout, stderr } = await execute(program, args, { cwd })
  assert.equal(status, 0, `${program} ${args.join(' ')} in ${cwd}\n${stdout}${stderr}`)
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').ExecFileOptions} options
 * @returns {Promise<{ status: unknown; stdout: string; stderr: string }>}
 */
function execute(program, args, options) {
  return new Promise((done) => {
    execFile(program, args, { ...options, encoding: 'utf8', maxBuffer: 1e8 }, (error, stdout, stderr) =>
      done({ status: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    )
  })
}
