// A simulator with a number of tasks. It prints the memory of each, serves them, and answers each message with its memory.
import { startServer } from '../dist/server/index.js'

const tasks = Number(process.env['TASKS'])
// A server keeps fewer by itself.
const retention = { tasks }
const server = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' }, retention })
const { simulator } = server
const encoder = new TextEncoder()
const headers = { host: 'bench', authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
const promptOf = (/** @type {number} */ number) => `a paper boat in the rain, number ${number}`

async function* once(/** @type {Uint8Array} */ bytes) {
  yield bytes
}

/** @returns {Promise<string>} */
async function submit(/** @type {number} */ number) {
  const body = encoder.encode(JSON.stringify({ model: 'video-1', prompt: promptOf(number) }))
  const incoming = {
    transport: /** @type {const} */ ('direct'),
    method: 'POST',
    target: '/v1/video/generations',
  }
  const origin = 'http://bench'
  const exchange = await simulator.handle({ ...incoming, headers, origin, body: once(body) })
  exchange.settle('completed', 0)
  return exchange.entry?.task ?? ''
}

// Some thousands of ids are enough to poll; to remember all of them would be counted as what a task costs.
const ids = /** @type {string[]} */ ([])
const step = Math.max(1, Math.floor(tasks / 5_000))
async function submitSome(/** @type {number} */ from, /** @type {number} */ to) {
  for (let number = from; number < to; number++) {
    const id = await submit(number)
    if (number % step === 0) ids.push(id)
  }
}
const memory = () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss }
}
process.on('message', () => process.send?.(memory()))
// What is needed for any task at all is there once the first thousand is.
await submitSome(0, 1_000)
const before = memory().heap
await submitSome(1_000, tasks)
const made = Math.max(1, tasks - 1_000)
const bytes = (memory().heap - before) / made - promptOf(tasks).length
process.stdout.write(`${server.url}\n${JSON.stringify({ bytes, ids })}\n`)
