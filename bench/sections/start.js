import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cellOf, ratiosOf, timesOf } from '../figures.js'
import { peersAreThere } from '../peers/peers.js'
import { here, timeToFirstAnswer } from '../servers.js'

const times = 10
const main = here('../dist/cli/main.js')

/** From the start of a process to its first answer, and to the end of its help; in turns. */
export async function measureStart() {
  const serve = ['serve', '--port', '0', '--log', 'silent', '--cache-dir', 'false']
  /** @type {Record<string, () => Promise<number>>} */
  const firstAnswers = {
    bare: () => timeToFirstAnswer([here('bare-server.js')], '/'),
    greenroom: () => timeToFirstAnswer([main, ...serve], '/_greenroom/health'),
    ...(peersAreThere && {
      aimock: () => timeToFirstAnswer([here('peers/aimock-server.js')], '/health'),
    }),
  }
  const help = (/** @type {string[]} */ words) => async () => {
    const [passedMs = NaN] = await timesOf(1, () => spawnSync(process.execPath, words, { stdio: 'ignore' }))
    return passedMs
  }
  /** @type {Record<string, () => Promise<number>>} */
  const helps = {
    'an empty script': help(['-e', '0']),
    greenroom: help([main, '--help']),
    ...(peersAreThere && { aimock: help([here('node_modules/@copilotkit/aimock/dist/cli.js'), '--help']) }),
  }
  const python = await pythonStarts()
  return `Medians of ${times} rounds, in turns, and the spread.

${await raced('Process start to first answer', 'bare', firstAnswers)}

${await raced('`--help`, to the end of the process', 'an empty script', helps)}${python}`
}

/** What virtual timers cost at the start of a program in Python; empty without Python. */
async function pythonStarts() {
  const program = 'python3'
  if (spawnSync(program, ['-c', '0']).status !== 0) return ''
  const server = spawn(process.execPath, [main, 'serve', '--port', '0', '--clock', 'auto', '--log', 'silent'])
  try {
    const [printed] = await once(server.stdout, 'data')
    const [url] = /http:\/\/\S+/.exec(String(printed)) ?? []
    if (url === undefined) throw new Error(`the simulator printed no URL: ${printed}`)
    const start = (/** @type {NodeJS.ProcessEnv} */ variables) => async () => {
      // Not synchronous: the simulator is another process, but its output must be read.
      const startMs = performance.now()
      const env = { ...process.env, ...variables }
      await once(spawn(program, ['-c', '0'], { stdio: 'ignore', env }), 'close')
      return performance.now() - startMs
    }
    const clock = { GREENROOM_URL: url, PYTHONPATH: here('../python') }
    const starts = { 'an empty script': start({}), 'with `--virtual-timers`': start(clock) }
    return `\n\n${await raced('An empty script in Python, to the end of the process', 'an empty script', starts)}`
  } finally {
    server.kill()
  }
}

/**
 * @param {string} title
 * @param {string} yardstick
 * @param {Record<string, () => Promise<number>>} contenders
 */
async function raced(title, yardstick, contenders) {
  /** @type {Record<string, number[]>} */
  const taken = {}
  for (let round = 0; round < times; round++)
    for (const [name, run] of Object.entries(contenders)) (taken[name] ??= []).push(await run())
  const first = taken[yardstick] ?? []
  const rows = Object.entries(taken).map(([name, ms]) => {
    const ratio = name === yardstick ? '1' : cellOf(ratiosOf(ms, first))
    return `| ${name} | ${ratio} | ${cellOf(ms, 'ms')} |`
  })
  return [`| ${title} | relative to ${yardstick} | measured |`, '|---|---|---|', ...rows].join('\n')
}
