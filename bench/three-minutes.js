import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fromSource } from '../scripts/source.js'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const scenario = fileURLToPath(new URL('./three-minutes.yaml', import.meta.url))

/**
 * Plays three minutes of polling to the reference client, over a socket, and measures how long that takes: from the
 * start of the process, and in a process that has done it before.
 *
 * @param {number} rounds
 * @returns {Promise<{ processMs: number[], runMs: number[] }>}
 */
export async function measureThreeMinutes(rounds) {
  const processMs = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    // Fails, as the command does, where an expectation fails: 37 polls are one.
    execFileSync(process.execPath, [main, 'run', scenario], { stdio: 'ignore' })
    processMs.push(performance.now() - start)
  }
  return { processMs, runMs: await measureRuns(rounds) }
}

async function measureRuns(/** @type {number} */ rounds) {
  const { runCommandLine } = await fromSource('cli/run-command-line.ts')
  const terminal = {
    print: () => {},
    warn: () => {},
    interrupted: new Promise(() => {}),
    folder: process.cwd(),
    environment: {},
  }
  const runMs = []
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now()
    const code = await runCommandLine(['run', scenario], terminal)
    if (code !== 0) throw new Error(`greenroom run exited with ${code}`)
    // The first round only warms up.
    if (round > 0) runMs.push(performance.now() - start)
  }
  return runMs
}
