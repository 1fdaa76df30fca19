import { spawnSync } from 'node:child_process'
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
  return `Medians of ${times} rounds, in turns, and the spread.

${await raced('Process start to first answer', 'bare', firstAnswers)}

${await raced('`--help`, to the end of the process', 'an empty script', helps)}`
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
