// 5,000 clients that leave at random: in the headers, in the body, while they wait, in a stream, in a download.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  aim,
  bytesOf,
  call,
  count,
  descriptorsOf,
  dial,
  folder,
  headers,
  isAlive,
  load,
  memoryOf,
  randomOf,
  say,
  serve,
  sleep,
  submit,
  until,
} from './common.js'

const aborts = count('ABORTS', 5_000)
const seed = count('SEED', 1)
const atOnce = 25
const draw = randomOf(seed)
const config = join(folder(), 'greenroom.config.json')
// What is stored on purpose is bounded early, so that only what is lost can grow.
const small = { limits: { journalEntries: 200 }, retention: { tasks: 200 }, bodies: false }
const rules = [
  { match: { op: 'models.list' }, delay: '1m' },
  { match: { op: 'video.content' }, every: 2, fault: { type: 'drip', bytesPerSecond: 20_000 } },
]
writeFileSync(
  config,
  JSON.stringify({ ...small, rules, text: { timing: { firstToken: 20, tokensPerSecond: 50 } } }),
)
const server = await serve([
  '--quality',
  'fast',
  '--cache-dir',
  'false',
  '--timing',
  'instant',
  '--config',
  config,
])
const id = await submit(server.url, { prompt: 'a city in the rain', size: '1280x720', duration: 10 })
await (await fetch(`${server.url}/v1/videos/${id}/content`, { headers })).arrayBuffer()

const chat = { model: 'm', messages: [{ role: 'user', content: `Why? ${'x'.repeat(2_000)}` }] }
const native = { contents: [{ parts: [{ text: 'Why?' }] }] }
const submission = bytesOf('/v1/video/generations', {
  model: 'video-1',
  prompt: `a kite ${'x'.repeat(2_000)}`,
})
const stream = bytesOf('/v1/chat/completions', { ...chat, stream: true })
/** What is sent, and how long its client may stay. */
const kinds =
  /** @type {Record<string, { sent: string, cut: 'headers' | 'body' | 'none', maxMs: number }>} */ ({
    'in the headers': { sent: submission, cut: 'headers', maxMs: 5 },
    'in the body': { sent: stream, cut: 'body', maxMs: 5 },
    'waiting for a response': { sent: bytesOf('/v1/models'), cut: 'none', maxMs: 100 },
    'after a submit': { sent: submission, cut: 'none', maxMs: 10 },
    'in a chat stream': { sent: stream, cut: 'none', maxMs: 200 },
    'in a native stream': {
      sent: bytesOf('/v1beta/models/m:streamGenerateContent?alt=sse', native),
      cut: 'none',
      maxMs: 200,
    },
    'in a download': { sent: bytesOf(`/v1/videos/${id}/content`), cut: 'none', maxMs: 60 },
    'in the event stream': { sent: bytesOf('/_greenroom/events'), cut: 'none', maxMs: 60 },
  })
const names = Object.keys(kinds)
const done = /** @type {Record<string, number>} */ ({})

async function abort() {
  const name = names[draw(names.length)] ?? ''
  const { sent, cut, maxMs } = kinds[name] ?? { sent: '', cut: 'none', maxMs: 0 }
  const bodyAt = sent.indexOf('\r\n\r\n') + 4
  const end =
    cut === 'headers' ? draw(bodyAt) : cut === 'body' ? bodyAt + draw(sent.length - bodyAt) : sent.length
  const [stayMs, isReset, isReading] = [draw(maxMs), draw(2), draw(4) > 0]
  const socket = await dial(server.url)
  socket.removeAllListeners('error').on('error', () => {})
  if (isReading) socket.resume()
  if (end > 0) socket.write(sent.slice(0, end))
  await sleep(stayMs)
  if (isReset) socket.resetAndDestroy()
  else socket.destroy()
  done[name] = (done[name] ?? 0) + 1
}

async function many(/** @type {number} */ total) {
  let left = total
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await abort()
    }),
  )
}
const isSettled = () =>
  until(async () => (await call(`${server.url}/_greenroom/journal?outcome=open`)).length === 0)

// What grows in the first thousand are pools and code.
await many(Math.ceil(aborts / 5))
await isSettled()
await sleep(2_000)
const before = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }
await many(aborts)
const hasSettled = await isSettled()
await sleep(2_000)
const isLevel = await until(() => descriptorsOf(server.pid) <= before.descriptors + 1)
const after = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }
const clock = await call(`${server.url}/_greenroom/clock`)
say(
  `seed ${seed}; ${load()}; ${Object.entries(done)
    .map(([name, times]) => `${times} ${name}`)
    .join(', ')}`,
)
aim(isLevel, `descriptors: ${before.descriptors} before ${aborts} aborts, ${after.descriptors} after`)
aim(
  after.memory - before.memory < 60,
  `memory: ${before.memory.toFixed(0)} MB before, ${after.memory.toFixed(0)} MB after`,
)
aim(hasSettled && clock.waiters === 0, `open exchanges: none; waiters on the clock: ${clock.waiters}`)
aim(
  isAlive(server) && server.output() === '',
  `the server is well, and printed ${JSON.stringify(server.output().slice(-300))}`,
)
await server.stop()
