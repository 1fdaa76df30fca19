import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createSimulator } from '../../dist/index.js'
import { rounds } from '../contest.js'
import { load } from '../load.js'
import { cellOf, ratiosOf, show, timesOf } from '../figures.js'
import { bytesOf } from '../operations.js'
import { here, start } from '../servers.js'

const few = 1_000
const many = Number(process.env['TASKS'] ?? 1_000_000)
const polls = Number(process.env['POLLS'] ?? 1_000_000)
const due = 100_000
const waiterRounds = 3
/** One round varies more than rounds of a contest, because it is shorter. */
const pollRounds = 3 * rounds

/** What a task costs in memory, whether many of them make polls slow, and whether many polls cost memory. */
export async function measureScale() {
  const small = await startFull(few)
  const large = await startFull(many)
  const { ofFew, ofSame, ofOthers, othersCount } = await measurePolls(small, large)
  large.stop()
  const { before, after } = await measureGrowth(small)
  small.stop()
  const { parked, advanced } = await measureWaiters()
  const megabytes = (/** @type {number} */ bytes) => `${show(bytes / 1e6)} MB`
  return `| | measured |
|---|---|
| Memory of a task beyond its prompt, of ${many} | ${Math.round(large.bytes)} bytes |
| Polls of ${few} out of ${many} tasks, relative to polls of ${few} without others | ${cellOf(ratiosOf(ofSame, ofFew))} |
| Polls of ${othersCount} others of them in turn, so that none was polled recently | ${cellOf(ratiosOf(ofOthers, ofFew))} |
| Heap after ${polls} polls, relative to before | ${show(after.heap / before.heap)} |
| Heap after them, garbage collected | ${megabytes(after.heap)} |
| Memory of the process (RSS) before them | ${megabytes(before.rss)} |
| Memory of the process (RSS) after them | ${megabytes(after.rss)} |
| ${due} clients that wait for different instants, parked | ${cellOf(parked, 'ms')} |
| \`advance\` over ${due} of them, each woken at its own instant | ${cellOf(advanced, 'ms')} |`
}

/** @param {Full} small @param {Full} large */
async function measurePolls(small, large) {
  // Clients mostly come back for the same tasks. To ask for thousands of others in turn is the worst that they can do.
  const step = Math.max(1, Math.floor(large.ids.length / few))
  const same = large.ids.filter((_, index) => index % step === 0).slice(0, few)
  const others = large.ids.filter((_, index) => index % step !== 0)
  const contenders = [
    { url: small.url, ids: small.ids },
    { url: large.url, ids: same },
    { url: large.url, ids: others },
  ]
  /** @type {number[][]} */
  const perPoll = contenders.map(() => [])
  for (let round = 0; round <= pollRounds; round++) {
    for (const [index, { url, ids }] of contenders.entries()) {
      const request = pollsOf(url, ids)
      const { requests, seconds } = await load({ url, request, connections: 16, durationMs: 500 })
      if (round > 0) perPoll[index]?.push(seconds / requests)
    }
  }
  const [ofFew = [], ofSame = [], ofOthers = []] = perPoll
  return { ofFew, ofSame, ofOthers, othersCount: others.length }
}

/** Memory of a server before and after many polls. The journal and whatever else is bounded is full before. @param {Full} full */
async function measureGrowth({ url, ids, memory }) {
  const request = pollsOf(url, ids)
  const poll = (/** @type {number} */ maxRequests) =>
    load({ url, request, connections: 16, durationMs: Infinity, maxRequests })
  await poll(100_000)
  const before = await memory()
  await poll(polls)
  return { before, after: await memory() }
}

/** Polls of tasks in turn. */
function pollsOf(/** @type {string} */ url, /** @type {string[]} */ ids) {
  let next = 0
  return () => bytesOf(url, { method: 'GET', path: `/v1/video/generations/${ids[next++ % ids.length]}` })
}

/** @typedef {{ url: string, bytes: number, ids: string[], memory: () => Promise<{ heap: number, rss: number }>, stop: () => void }} Full */

/** @returns {Promise<Full>} */
async function startFull(/** @type {number} */ tasks) {
  const memoryFlags = ['--expose-gc', '--max-old-space-size=4096']
  const child = start(process.execPath, [...memoryFlags, here('scale-server.js')], {
    env: { ...process.env, TASKS: String(tasks) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  /** @type {string[]} */
  const lines = []
  const output = /** @type {import('node:stream').Readable} */ (child.stdout)
  for await (const line of createInterface(output)) if (lines.push(line) === 2) break
  const [url = '', figures = '{}'] = lines
  const memory = async () => {
    child.send('memory')
    const [answer] = await once(child, 'message')
    return answer
  }
  return { url, ...JSON.parse(figures), memory, stop: () => child.kill() }
}

/** How long many waiters take to park, and time to pass all of them, in a few rounds. */
async function measureWaiters() {
  const taken = { parked: /** @type {number[]} */ ([]), advanced: /** @type {number[]} */ ([]) }
  for (let round = 0; round < waiterRounds; round++) {
    const start = performance.now()
    const sim = parked()
    taken.parked.push(performance.now() - start)
    taken.advanced.push(...(await timesOf(1, () => sim.clock.advance(`${due}ms`))))
    await sim.close()
  }
  return taken
}

/** A clock with many waiters. */
function parked() {
  const sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
  const { clock } = sim.core.namespaces.get('default')
  for (let wait = 1; wait <= due; wait++) void clock.wait(wait)
  return sim
}
