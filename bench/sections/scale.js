import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createSimulator } from '../../dist/index.js'
import { load } from '../load.js'
import { median, show, spread, timesOf } from '../figures.js'
import { bytesOf } from '../operations.js'
import { here } from '../servers.js'

const few = 1_000
const many = Number(process.env['TASKS'] ?? 1_000_000)
const due = 100_000
const rounds = 15

/** What a task costs in memory, and whether many of them make polls slow. */
export async function measureScale() {
  const servers = [await startFull(few), await startFull(many)]
  const [small, large] = /** @type {[Full, Full]} */ (servers)
  // Clients mostly come back for the same tasks. To ask for thousands of others in turn is the worst that they can do.
  const step = Math.max(1, Math.floor(large.ids.length / few))
  const again = large.ids.filter((_, index) => index % step === 0).slice(0, few)
  const others = large.ids.filter((_, index) => index % step !== 0)
  const contenders = [
    { url: small.url, ids: small.ids },
    { url: large.url, ids: again },
    { url: large.url, ids: others },
  ]
  /** @type {number[][]} */
  const perPoll = contenders.map(() => [])
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { url, ids }] of contenders.entries()) {
        let next = 0
        const poll = () =>
          bytesOf(url, { method: 'GET', path: `/v1/video/generations/${ids[next++ % ids.length]}` })
        const { requests, seconds } = await load({ url, request: poll, connections: 16, durationMs: 500 })
        if (round > 0) perPoll[index]?.push(seconds / requests)
      }
    }
  } finally {
    for (const server of servers) server.stop()
  }
  const [ofFew = [], ofSame = [], ofOthers = []] = perPoll
  const ratioOf = (/** @type {number[]} */ times) => {
    const ratios = times.map((value, index) => value / (ofFew[index] ?? NaN))
    return `${show(median(ratios))} (${spread(ratios)})`
  }
  return `## Scale

| | |
|---|---|
| Memory of a task beyond its prompt, of ${many} | ${Math.round(large.bytes)} bytes |
| Polls of ${few} out of ${many} tasks, relative to polls of ${few} without others | ${ratioOf(ofSame)} |
| Polls of ${others.length} others of them in turn, so that none was polled recently | ${ratioOf(ofOthers)} |
| Who wait for ${due} different instants, parked | ${show(await parkedMs())} ms |
| \`advance\` over ${due} of them, each woken at its own | ${show(await advancedMs())} ms |
`
}

/** @typedef {{ url: string, bytes: number, ids: string[], stop: () => void }} Full */

/** @returns {Promise<Full>} */
async function startFull(/** @type {number} */ tasks) {
  const memory = ['--expose-gc', '--max-old-space-size=4096']
  const child = spawn(process.execPath, [...memory, here('scale-server.js')], {
    env: { ...process.env, TASKS: String(tasks) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  /** @type {string[]} */
  const lines = []
  for await (const line of createInterface(child.stdout)) if (lines.push(line) === 2) break
  const [url = '', figures = '{}'] = lines
  return { url, ...JSON.parse(figures), stop: () => child.kill() }
}

async function parkedMs() {
  const [passedMs = NaN] = await timesOf(1, async () => void (await parked()))
  return passedMs
}

async function advancedMs() {
  const sim = await parked()
  const [passedMs = NaN] = await timesOf(1, () => sim.clock.advance(`${due}ms`))
  await sim.close()
  return passedMs
}

/** A clock with many waiters. */
async function parked() {
  const sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
  const { clock } = sim.core.namespaces.get('default')
  for (let wait = 1; wait <= due; wait++) void clock.wait(wait)
  return sim
}
