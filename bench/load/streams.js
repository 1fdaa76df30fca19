// 500 chats that stream in real time: when does the first byte come, while they start, while they stream, in one instant?
import { quantile } from '../figures.js'
import { aim, bytesOf, count, dial, folder, load, memoryOf, say, serve, sleep } from './common.js'
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

/** @returns {Promise<{ firstMs: number, bytes: number, seconds: number, isWhole: boolean }>} */
async function read(/** @type {number} */ number, /** @type {import('node:net').Socket} */ socket) {
  const start = performance.now()
  let firstMs = NaN
  let bytes = 0
  let end = ''
  socket.on('data', (chunk) => {
    if (bytes === 0) firstMs = performance.now() - start
    bytes += chunk.length
    end = (end + chunk.toString('latin1')).slice(-40)
  })
  socket.write(chat(number))
  await new Promise((resolve) => socket.once('close', resolve))
  return { firstMs, bytes, seconds: (performance.now() - start) / 1_000, isWhole: end.includes('[DONE]') }
}

const dialAll = (/** @type {number} */ many) =>
  Promise.all(Array.from({ length: many }, () => dial(server.url)))
const show = (/** @type {number[]} */ values) =>
  `p50 ${quantile(values, 0.5).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms, max ${Math.max(...values).toFixed(0)} ms`

/** Starts streams, one every so many milliseconds. */
async function start(/** @type {number} */ many, /** @type {number} */ everyMs, /** @type {number} */ from) {
  const reads = []
  for (const [number, socket] of (await dialAll(many)).entries()) {
    reads.push(read(from + number, socket))
    if (everyMs > 0) await sleep(everyMs)
  }
  return reads
}
const firstOf = (/** @type {{ firstMs: number }[]} */ all) => all.map(({ firstMs }) => firstMs)

// What the first requests load is not what is measured here.
await Promise.all(await start(20, 20, 90_000))
const idleMb = memoryOf(server.pid)
const begun = await start(streams, 4, 0)
const busyMb = memoryOf(server.pid)
const joined = await start(later, 20, 10_000)
const [all, more] = [await Promise.all(begun), await Promise.all(joined)]
const burst = await Promise.all(await start(streams, 0, 20_000))
const seconds = all.map((each) => each.seconds)
say(`${load()}; ${(((busyMb - idleMb) / streams) * 1_024).toFixed(0)} kB for each stream`)
say(`a stream took ${quantile(seconds, 0.5).toFixed(1)} s, the longest ${Math.max(...seconds).toFixed(1)} s`)
say(`first byte of ${streams} that start in one instant: ${show(firstOf(burst))}`)
aim(
  [...all, ...more, ...burst].every(({ isWhole }) => isWhole),
  `${2 * streams + later} streams end with [DONE]`,
)
aim(
  quantile(firstOf(all), 0.99) < maxMs,
  `first byte of ${streams} that start within two seconds: ${show(firstOf(all))}`,
)
aim(
  quantile(firstOf(more), 0.99) < maxMs,
  `first byte of ${later} more, one each 20 ms, while those stream: ${show(firstOf(more))}`,
)
await server.stop()
