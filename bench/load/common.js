// What the load runs share: a built server in a process of its own, what that process holds, and clients on plain sockets.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export const headers = { authorization: 'Bearer sk-load', 'content-type': 'application/json' }

/** @typedef {{ url: string, pid: number, output: () => string, stop: () => Promise<void> }} Server */

/** Servers that still run when a run fails. */
const running = /** @type {Set<import('node:child_process').ChildProcess>} */ (new Set())
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(1))

/**
 * Starts `greenroom serve` on a free port, and waits until it listens.
 *
 * @param {string[]} flags
 * @param {{ env?: Record<string, string>, node?: string[] }} [options] `node`: arguments of Node.
 * @returns {Promise<Server>}
 */
export async function serve(flags = [], { env = {}, node = [] } = {}) {
  const child = spawn(
    process.execPath,
    [...node, main, 'serve', '--port', '0', '--log', 'silent', ...flags],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  running.add(child)
  let output = ''
  child.stderr.on('data', (bytes) => (output = `${output}${bytes}`.slice(-1_000_000)))
  const exited = new Promise((resolve) => child.once('exit', resolve)).then(() => running.delete(child))
  for await (const url of createInterface(child.stdout)) {
    const stop = async () => {
      child.kill('SIGTERM')
      await exited
    }
    return { url, pid: child.pid ?? 0, output: () => output, stop }
  }
  throw new Error(`The server did not start: ${output}`)
}

/** Whether a process still runs. */
export function isAlive(/** @type {Server} */ { pid }) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') === false
}

/** Megabytes of memory that a process occupies. */
export function memoryOf(/** @type {number} */ pid) {
  const [, kilobytes = 'NaN'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Processor time of a process so far, in milliseconds; Linux counts it in hundredths of a second. */
export function cpuMsOf(/** @type {number} */ pid) {
  const [, , user = NaN, system = NaN] =
    /\) (\S+ ){11}(\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
  return (Number(user) + Number(system)) * 10
}

/** Open files and sockets of a process. */
export function descriptorsOf(/** @type {number} */ pid) {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** @template Answer @returns {Promise<Answer>} */
export async function call(
  /** @type {string} */ url,
  /** @type {object | undefined} */ body = undefined,
  method = body ? 'POST' : 'GET',
) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, connection: 'close' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Submits a video. @returns {Promise<string>} its id. */
export async function submit(/** @type {string} */ url, /** @type {object} */ video) {
  const { task_id: id } = await call(`${url}/v1/video/generations`, { model: 'video-1', ...video })
  return id
}

/** The bytes of a request. */
export function bytesOf(
  /** @type {string} */ path,
  /** @type {object | undefined} */ body = undefined,
  /** @type {string} */ more = '',
) {
  const text = body ? JSON.stringify(body) : ''
  const length = body
    ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
    : ''
  const first = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer sk-load\r\n`
  return `${first}${length}${more}\r\n${text}`
}

/** @returns {Promise<import('node:net').Socket>} a connection; whatever breaks it only closes it. */
export function dial(/** @type {string} */ url) {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => resolve(socket))
    socket.on('error', reject)
  })
}

export function sleep(/** @type {number} */ ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until a condition holds. @returns whether it did in time. */
export async function until(/** @type {() => unknown} */ holds, limitMs = 30_000) {
  for (const end = performance.now() + limitMs; performance.now() < end; await sleep(100))
    if (await holds()) return true
  return false
}

/**
 * Latencies of polls of one task, over one connection, until `done` settles.
 *
 * @param {string} url
 * @param {string} path
 * @param {Promise<unknown>} done
 */
export async function latenciesOf(url, path, done, everyMs = 2) {
  const socket = await dial(url)
  const request = bytesOf(path)
  const taken = /** @type {number[]} */ ([])
  let isDone = false
  const ended = done.finally(() => (isDone = true))
  while (!isDone) {
    const start = performance.now()
    await new Promise((resolve, reject) => {
      socket.once('data', resolve).once('close', reject)
      socket.write(request)
    })
    taken.push(performance.now() - start)
    socket.removeAllListeners('close')
    await sleep(everyMs)
  }
  socket.destroy()
  await ended
  return taken
}

/** Random numbers of a seed: the same in each run. @returns {(below: number) => number} */
export function randomOf(/** @type {number} */ seed) {
  let state = seed >>> 0
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** A number of the environment, for shorter and longer runs. */
export function count(/** @type {string} */ name, /** @type {number} */ usual) {
  return Number(process.env[name] ?? usual)
}

/** A folder that is gone after the run. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'greenroom-load-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Whether a program is installed. */
export function isInstalled(/** @type {string} */ program) {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Prints a figure. */
export function say(/** @type {string} */ text) {
  process.stdout.write(`  ${text}\n`)
}

/** Prints a figure with its aim; a missed one makes the run fail. */
export function aim(/** @type {boolean} */ isMet, /** @type {string} */ text) {
  process.stdout.write(`${isMet ? '✓' : '✗'} ${text}\n`)
  if (!isMet) process.exitCode = 1
}

/** The load of the machine, without which no latency can be judged. */
export function load() {
  return `load average ${loadavg()[0]?.toFixed(1)}`
}
