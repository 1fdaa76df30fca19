// 500 chats that stream in real time: when does the first byte come, while they start, while they stream, in one instant?
import { quantile } from '../figures.js'
import { aim, bytesOf, count, cpuMsOf, dial, folder, load, memoryOf, say, serve, sleep } from './common.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const streams = count('STREAMS', 500)
const later = 100
const maxMs = 100
const config = join(folder(), 'greenroom.config.json')
// The first piece is due at once, so what passes until then is the server's own time.
const timing = { firstToken: 0, tokensPerSecond: count('TOKENS', 20) }
writeFileSync(config, JSON.stringify({ text: { timing } }))
const server = await serve(['--clock', 'real', '--config', config])

const chat = (/** @type {number} */ number) =>
  bytesOf(
    '/v1/chat/completions',
    {
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: `Why does kite ${number} fly? [[tokens 200]]` }],
    },
    'Connection: close\r\n',
  )

/** Sends a chat. `first`: until the first byte, in milliseconds; `whole`: until the end. */
function read(/** @type {number} */ number, /** @type {import('node:net').Socket} */ socket) {
  const start = performance.now()
  const passed = () => performance.now() - start
  let end = ''
  socket.on('data', (chunk) => (end = (end + chunk.toString('latin1')).slice(-40)))
  const first = /** @type {Promise<number>} */ (
    new Promise((resolve) => socket.once('data', () => resolve(passed())).once('close', () => resolve(NaN)))
  )
  const whole = /** @type {Promise<{ seconds: number, isWhole: boolean }>} */ (
    new Promise((resolve) =>
      socket.once('close', () => resolve({ seconds: passed() / 1_000, isWhole: end.includes('[DONE]') })),
    )
  )
  socket.write(chat(number))
  return { first, whole }
}

const dialAll = (/** @type {number} */ many) =>
  Promise.all(Array.from({ length: many }, () => dial(server.url)))
const show = (/** @type {number[]} */ values) =>
  `p50 ${quantile(values, 0.5).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms, max ${Math.max(...values).toFixed(0)} ms`

/** Starts streams, one in each interval. */
async function start(/** @type {number} */ many, /** @type {number} */ everyMs, /** @type {number} */ from) {
  const reads = []
  for (const [number, socket] of (await dialAll(many)).entries()) {
    reads.push(read(from + number, socket))
    if (everyMs > 0) await sleep(everyMs)
  }
  return reads
}
const firstOf = (/** @type {{ first: Promise<number> }[]} */ reads) =>
  Promise.all(reads.map(({ first }) => first))
const wholeOf = (/** @type {{ whole: Promise<{ seconds: number, isWhole: boolean }> }[]} */ reads) =>
  Promise.all(reads.map(({ whole }) => whole))

// What the first requests load is not what is measured here.
await wholeOf(await start(20, 20, 90_000))
const idleMb = memoryOf(server.pid)
const begun = await start(streams, 4, 0)
const busyMb = memoryOf(server.pid)
const joined = await start(later, 20, 10_000)
const [ramp, among] = [await firstOf(begun), await firstOf(joined)]
const streamed = [...(await wholeOf(begun)), ...(await wholeOf(joined))]
const cpuMs = cpuMsOf(server.pid)
const together = await start(streams, 0, 20_000)
const burst = await firstOf(together)
const startMs = (cpuMsOf(server.pid) - cpuMs) / streams
streamed.push(...(await wholeOf(together)))

const seconds = streamed.map((each) => each.seconds)
say(
  `${load()}; a stream holds ${(((busyMb - idleMb) / streams) * 1_024).toFixed(0)} kB, and takes ${quantile(seconds, 0.5).toFixed(1)} s, the longest ${Math.max(...seconds).toFixed(1)} s`,
)
say(
  `first byte of ${streams} that start in one instant: ${show(burst)}; ${startMs.toFixed(2)} ms of processor time for each`,
)
const isWhole = streamed.every((each) => each.isWhole)
aim(isWhole, `${streamed.length} streams end with [DONE]`)
aim(
  quantile(ramp, 0.99) < maxMs,
  `first byte of ${streams} that start within two seconds and stream together: ${show(ramp)}`,
)
aim(
  quantile(among, 0.99) < maxMs,
  `first byte of ${later} more, one each 20 ms, while those stream: ${show(among)}`,
)
await server.stop()
