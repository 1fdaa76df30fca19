import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cellOf } from '../figures.js'
import { here } from '../servers.js'

const rounds = 3
/** Two ways in which a client sleeps, with the flags of each. */
const ways = {
  'sleeps by `setTimeout`, with `--virtual-timers`': ['explore', '--virtual-timers'],
  'sleeps on the clock over HTTP': ['ci'],
}

/** How long the command takes to explore the clients of the examples, with two runs at a time. */
export function measureExploredCommand() {
  const rows = Object.entries(ways).map(([name, [example = '', ...flags]]) => {
    const client = here(`../examples/${example}/client.js`)
    const searches = Array.from({ length: rounds }, () => exploreOnce(client, flags))
    const rates = searches.map(({ runs, seconds }) => (runs * 60) / seconds)
    const times = searches.map(({ seconds }) => seconds)
    return `| ${name} | ${searches[0]?.runs} | ${cellOf(rates, '/min')} | ${cellOf(times, 's')} |`
  })
  return `\`greenroom explore --jobs 2\` of the programs of \`examples\`: each run starts one as a process. Deadlines of 30 s pass in real time,
unless timers are virtual.

| program | runs | in a minute | whole search |
|---|---|---|---|
${rows.join('\n')}`
}

/**
 * @param {string} client
 * @param {readonly string[]} flags
 */
function exploreOnce(client, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-bench-'))
  try {
    const words = ['explore', '--jobs', '2', ...flags, '--report', 'json=report.json', '--', process.execPath]
    const startMs = performance.now()
    const { status, stdout } = spawnSync(process.execPath, [here('../dist/cli/main.js'), ...words, client], {
      cwd: folder,
      encoding: 'utf8',
    })
    const seconds = (performance.now() - startMs) / 1_000
    if (status !== 0) throw new Error(`the exploration exited with ${status}:\n${stdout}`)
    const { explorations } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    return { runs: Number(explorations[0].runs), seconds }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
