import { execFileSync } from 'node:child_process'
import { fromSource } from '../../scripts/source.js'
import { cellOf, timesOf } from '../figures.js'
import { here } from '../servers.js'

const main = here('../dist/cli/main.js')
const waits = [
  ['A render of three minutes, 37 polls', here('three-minutes.yaml')],
  ['A task stuck in the queue, 23 minutes', here('../scenarios/stuck-in-the-queue.yaml')],
]

/**
 * Plays long waits to the reference client, over a socket, judged: from the start of the process, and in one that has
 * done it before.
 */
export async function measureWaits() {
  const rows = []
  for (const [name, scenario = ''] of waits) {
    // Fails, as the command does, where an expectation fails: 37 polls are one.
    const process = await timesOf(7, () => execFileSync(node, [main, 'run', scenario], { stdio: 'ignore' }))
    const run = await timesOf(6, await player(scenario))
    rows.push(`| ${name} | ${cellOf(process, 'ms')} | ${cellOf(run.slice(1), 'ms')} |`)
  }
  return [
    '| `greenroom run` | from the start of the process | after another run of the same process |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}

const node = process.execPath

async function player(/** @type {string} */ scenario) {
  const { runCommandLine } = await fromSource('cli/terminal/command-line.ts')
  const terminal = {
    print: () => {},
    warn: () => {},
    interrupted: new Promise(() => {}),
    folder: process.cwd(),
    environment: {},
  }
  return async () => {
    const code = await runCommandLine(['run', scenario], terminal)
    if (code !== 0) throw new Error(`greenroom run ${scenario} exited with ${code}`)
  }
}
