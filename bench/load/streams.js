// 500 chats that stream in real time: when does the first byte come, all at once and while the others stream?
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

// What the first requests load is not what is measured here.
for (let number = 0; number < 20; number++) {
  const socket = await dial(server.url)
  socket.write(chat(10_000 + number))
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
}
const idleMb = memoryOf(server.pid)
const sockets = await dialAll(streams)
const begun = sockets.map((socket, number) => read(number, socket))
await sleep(2_000)
const busyMb = memoryOf(server.pid)
// A new one every few milliseconds, while all of them stream.
const joined = []
for (const [number, socket] of (await dialAll(later)).entries()) {
  joined.push(read(20_000 + number, socket))
  await sleep(20)
}
const [burst, whileBusy] = [await Promise.all(begun), await Promise.all(joined)]
const firstOf = (/** @type {{ firstMs: number }[]} */ all) => all.map(({ firstMs }) => firstMs)
say(`${load()}; ${(((busyMb - idleMb) / streams) * 1_024).toFixed(0)} kB for each stream`)
say(
  `a stream took ${quantile(
    burst.map(({ seconds }) => seconds),
    0.5,
  ).toFixed(1)} s, the longest ${Math.max(...burst.map(({ seconds }) => seconds)).toFixed(1)} s`,
)
aim(
  [...burst, ...whileBusy].every(({ isWhole }) => isWhole),
  `${streams + later} streams end with [DONE]`,
)
aim(
  quantile(firstOf(burst), 0.99) < maxMs,
  `first byte of ${streams} streams that start in one instant: ${show(firstOf(burst))}`,
)
aim(
  Math.max(...firstOf(whileBusy)) < maxMs,
  `first byte of ${later} more, one each 20 ms, while those stream: ${show(firstOf(whileBusy))}`,
)
await server.stop()
