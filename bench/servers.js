import { fork, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * Starts a server script and waits for the address it prints.
 *
 * @param {string} script beside this file.
 * @param {Record<string, string>} [environment]
 */
export async function startServerProcess(script, environment = {}) {
  const child = fork(new URL(script, import.meta.url), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const lines = createInterface(/** @type {import('node:stream').Readable} */ (child.stdout))
  const url = await new Promise((resolve) => lines.once('line', resolve))
  return {
    url: /** @type {string} */ (url),
    /** Processor time used so far, in microseconds. */
    cpu: () =>
      new Promise((resolve) => {
        child.once('message', (usage) => {
          const { user, system } = /** @type {NodeJS.CpuUsage} */ (usage)
          resolve(user + system)
        })
        child.send('cpu')
      }),
    stop: () => child.kill(),
  }
}

/**
 * How long a command takes until it has answered a request with 200.
 *
 * @param {string[]} words program and arguments; it must print its address first.
 * @param {string} path
 */
export async function timeToFirstAnswer(words, path) {
  const [program = '', ...rest] = words
  const start = performance.now()
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const url = await new Promise((resolve) => lines.once('line', resolve))
  const response = await fetch(url + path)
  await response.arrayBuffer()
  const passedMs = performance.now() - start
  child.kill()
  if (response.status !== 200) throw new Error(`${words.join(' ')} answered ${response.status}`)
  return passedMs
}
