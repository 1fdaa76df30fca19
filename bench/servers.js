import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** @typedef {{ url: string, cpuMs: () => number, stop: () => void }} ServerProcess */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
// A section that failed must not leave servers behind, which would disturb the next one.
export function stopAll() {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
}
process.once('exit', stopAll)
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => process.exit(130))

/**
 * Starts a process that ends with this one at the latest.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** The path of a file in this folder. */
export const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Starts a script that prints its address, and waits for that.
 *
 * @param {string} script a file of this folder.
 * @param {Record<string, string>} [environment]
 * @returns {Promise<ServerProcess>}
 */
export async function startScript(script, environment = {}) {
  const child = start(process.execPath, [here(script)], { env: { ...process.env, ...environment } })
  const url = await firstLine(child, script)
  return { url, cpuMs: () => cpuMsOf(child.pid ?? 0), stop: () => child.kill() }
}

/**
 * Starts a program that listens on a given port, and waits until it responds.
 *
 * @param {(port: number) => string[]} commandFor the program and its arguments.
 * @param {string} folder to run it in, because some programs write files there.
 * @returns {Promise<ServerProcess>}
 */
export async function startProgram(commandFor, folder) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const [program = '', ...args] = commandFor(port)
  const child = start(program, args, { stdio: 'ignore', cwd: folder })
  for (let tries = 0; ; tries++) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    )
    if (answers) break
    if (tries === 300 || child.exitCode !== null)
      throw new Error(`${program} ${args.join(' ')} doesn't answer`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { url, cpuMs: () => cpuMsOf(child.pid ?? 0), stop: () => child.kill() }
}

/**
 * Starts `greenroom serve` as users do, with its log and with bodies. Only its clock does not move.
 *
 * @param {string} folder to run it in.
 */
export function startServe(folder) {
  const words = [here('../dist/cli/main.js'), 'serve', '--clock', 'manual', '--cache-dir', 'false']
  return startProgram((port) => [process.execPath, ...words, '--port', String(port)], folder)
}

/**
 * How long a command takes until it has answered a request with 200.
 *
 * @param {string[]} args of Node; it must print its address first.
 * @param {string} path
 */
export async function timeToFirstAnswer(args, path) {
  const startedAt = performance.now()
  const child = start(process.execPath, args)
  const response = await fetch((await firstLine(child, args.join(' '))) + path)
  await response.arrayBuffer()
  const passedMs = performance.now() - startedAt
  child.kill()
  if (response.status !== 200) throw new Error(`${args.join(' ')} answered ${response.status}`)
  return passedMs
}

/** @returns {Promise<string>} */
export function firstLine(
  /** @type {import('node:child_process').ChildProcess} */ child,
  /** @type {string} */ what,
) {
  const lines = createInterface(/** @type {import('node:stream').Readable} */ (child.stdout))
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    child.once('exit', (code) => reject(new Error(`${what} exited with ${code} before it printed its URL`)))
  })
}

/** Memory of a process (RSS), in MB; NaN where there is no /proc. */
export function memoryOf(/** @type {number | undefined} */ pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_000
  } catch {
    return NaN
  }
}

/** Processor time of a process so far; Linux tells it in hundredths of a second, others not at all. */
function cpuMsOf(/** @type {number} */ pid) {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return NaN
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
}
