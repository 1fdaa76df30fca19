import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { rounds, roundMs } from '../contest.js'
import { cellOf, ratiosOf, show } from '../figures.js'
import { ownFolder } from '../folders.js'
import { load } from '../load.js'
import { answerOf, bytesOf, operations, requestsOf } from '../operations.js'
import { firstLine, here, memoryOf, start } from '../servers.js'

const tasks = Number(process.env['STATE_TASKS'] ?? 100_000)
const parts = 10
const main = here('../dist/cli/main.js')
const { submits } = operations

/** Many tasks in `greenroom serve` with `--state` and in one without, in turns; then restarts from the folder. */
export async function measureState() {
  if (!submits) throw new Error('there is no operation submits')
  const folder = ownFolder()
  const plain = await startServe([])
  let stored = await startServe(['--state', folder])
  const call = await submits.ready(plain.url)
  /** @type {Record<'plain' | 'stored', number[]>} */
  const perSecond = { plain: [], stored: [] }
  for (let part = 0; part < parts; part++) {
    for (const [name, { url }] of Object.entries({ plain, stored })) {
      const request = requestsOf(url, call)
      const limits = { durationMs: Infinity, maxRequests: tasks / parts }
      const { requests, seconds } = await load({ url, request, connections: 16, ...limits })
      perSecond[/** @type {'plain' | 'stored'} */ (name)].push(requests / seconds)
    }
  }
  const memoryAfterSubmits = [memoryOf(plain.pid), memoryOf(stored.pid)]
  const [plainPoll, storedPoll] = [await pollOf(plain.url, call), await pollOf(stored.url, call)]
  const stopMs = []
  const restartMs = []
  for (let round = 0; round < rounds; round++) {
    const stopping = performance.now()
    await stored.stop()
    const starting = performance.now()
    stored = await startServe(['--state', folder])
    await answerOf(stored.url, storedPoll)
    stopMs.push(starting - stopping)
    restartMs.push(performance.now() - starting)
  }
  const memoryAfterRestart = memoryOf(stored.pid)
  /** @type {Record<'plain' | 'stored', number[]>} */
  const perPoll = { plain: [], stored: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, url, poll] of /** @type {const} */ ([
      ['plain', plain.url, plainPoll],
      ['stored', stored.url, storedPoll],
    ])) {
      const request = bytesOf(url, poll)
      const { requests, seconds } = await load({ url, request, connections: 16, durationMs: roundMs })
      if (round > 0) perPoll[name].push(seconds / requests)
    }
  }
  await Promise.all([plain.stop(), stored.stop()])
  const row = (/** @type {string} */ name, /** @type {string} */ cell) => `| ${name} | ${cell} |`
  const megabytes = (/** @type {number | undefined} */ value) => `${show(value ?? NaN)} MB`
  return `${tasks} videos submitted to \`greenroom serve\`, each with another prompt, with \`--state\` and without, in turns.

| | measured |
|---|---|
${[
  row(
    'Time of a submit with `--state`, relative to one without',
    cellOf(ratiosOf(perSecond.plain, perSecond.stored)),
  ),
  row('Submits with `--state`, per second', cellOf(perSecond.stored, '/s')),
  row('Memory of the process (RSS) after them, without `--state`', megabytes(memoryAfterSubmits[0])),
  row('Memory of the process (RSS) after them, with `--state`', megabytes(memoryAfterSubmits[1])),
  row('Folder on disk', megabytes(bytesIn(folder) / 1e6)),
  row('From the signal to the end of the process', cellOf(stopMs, 'ms')),
  row('From the restart to the first answered poll', cellOf(restartMs, 'ms')),
  row('Memory of the process (RSS) after a restart', megabytes(memoryAfterRestart)),
  row(
    'Time of a poll after a restart, relative to one without `--state`',
    cellOf(ratiosOf(perPoll.stored, perPoll.plain)),
  ),
].join('\n')}`
}

/** @param {readonly string[]} flags */
async function startServe(flags) {
  const usual = ['serve', '--port', '0', '--log', 'silent', '--cache-dir', 'false', '--clock', 'manual']
  const child = start(process.execPath, [main, ...usual, ...flags])
  const url = await firstLine(child, 'greenroom serve')
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url, pid: child.pid, stop }
}

/** A poll of a new task. @param {string} url @param {import('../operations.js').Call} submit */
async function pollOf(url, submit) {
  const { task_id: id } = JSON.parse((await answerOf(url, submit)).body)
  return { method: 'GET', path: `${submit.path}/${id}` }
}

/** @param {string} folder */
function bytesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { blocks, size }) => sum + Math.min(size, (blocks || Infinity) * 512), 0)
}
