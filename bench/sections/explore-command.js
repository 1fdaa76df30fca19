import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cellOf } from '../figures.js'
import { here } from '../servers.js'

const rounds = 3
/** Debian's Python, because of its packages. */
const python = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import requests']).status === 0,
)
/** @type {Record<string, { program?: string, client: string, flags: readonly string[] }>} Ways in which a client sleeps. */
const ways = {
  'sleeps by `setTimeout`, with `--virtual-timers`': {
    client: 'explore/client.js',
    flags: ['--virtual-timers'],
  },
  'sleeps on the clock over HTTP': { client: 'ci/client.js', flags: [] },
  ...(python && {
    'in Python, with `--virtual-timers`': {
      program: python,
      client: 'python/video.py',
      flags: ['--virtual-timers'],
    },
  }),
}

/** How long the command takes to explore the clients of the examples, with two runs at a time. */
export function measureExploredCommand() {
  const rows = Object.entries(ways).map(([name, { program = process.execPath, client, flags }]) => {
    const command = [program, here(`../examples/${client}`)]
    const searches = Array.from({ length: rounds }, () => exploreOnce(command, flags))
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
 * @param {readonly string[]} command
 * @param {readonly string[]} flags
 */
function exploreOnce(command, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-bench-'))
  try {
    const words = ['explore', '--jobs', '2', ...flags, '--report', 'json=report.json', '--']
    const startMs = performance.now()
    const { status, stdout } = spawnSync(
      process.execPath,
      [here('../dist/cli/main.js'), ...words, ...command],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    const seconds = (performance.now() - startMs) / 1_000
    if (status !== 0) throw new Error(`the exploration exited with ${status}:\n${stdout}`)
    const { explorations } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    return { runs: Number(explorations[0].runs), seconds }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
