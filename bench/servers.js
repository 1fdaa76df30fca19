import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** @typedef {{ url: string, cpuMs: () => number, stop: () => void }} ServerProcess */

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
  const child = spawn(process.execPath, [here(script)], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await firstLine(child, script)
  return { url, cpuMs: () => cpuMsOf(child.pid ?? 0), stop: () => child.kill() }
}

/**
 * Starts a program that listens on a given port, and waits until it responds.
 *
 * @param {(port: number) => string[]} argumentsFor of Node.
 * @returns {Promise<ServerProcess>}
 */
export async function startProgram(argumentsFor) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, argumentsFor(port), { stdio: 'ignore' })
  for (let tries = 0; ; tries++) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    )
    if (answers) break
    if (tries === 300 || child.exitCode !== null)
      throw new Error(`${argumentsFor(port).join(' ')} doesn't answer`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { url, cpuMs: () => cpuMsOf(child.pid ?? 0), stop: () => child.kill() }
}

/**
 * How long a command takes until it has answered a request with 200.
 *
 * @param {string[]} args of Node; it must print its address first.
 * @param {string} path
 */
export async function timeToFirstAnswer(args, path) {
  const start = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const response = await fetch((await firstLine(child, args.join(' '))) + path)
  await response.arrayBuffer()
  const passedMs = performance.now() - start
  child.kill()
  if (response.status !== 200) throw new Error(`${args.join(' ')} answered ${response.status}`)
  return passedMs
}

/** @returns {Promise<string>} */
function firstLine(
  /** @type {import('node:child_process').ChildProcess} */ child,
  /** @type {string} */ what,
) {
  const lines = createInterface(/** @type {import('node:stream').Readable} */ (child.stdout))
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    child.once('exit', (code) => reject(new Error(`${what} exited with ${code} before it printed its URL`)))
  })
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
