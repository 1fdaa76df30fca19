// 64 full renders at once: do polls wait for them?
import { quantile } from '../figures.js'
import {
  aim,
  call,
  count,
  isAlive,
  latenciesOf,
  load,
  memoryOf,
  say,
  serve,
  sleep,
  submit,
  headers,
} from './common.js'

const renders = count('RENDERS', 64)
const size = process.env['SIZE'] ?? '640x360'
const server = await serve(['--quality', 'full', '--cache-dir', 'false', '--timing', 'instant'])
const polled = await submit(server.url, { prompt: 'a kite' })
const path = `/v1/video/generations/${polled}`
await latenciesOf(server.url, path, sleep(4_000))
const idle = await latenciesOf(server.url, path, sleep(5_000))

const ids = []
for (let number = 0; number < renders; number++)
  ids.push(await submit(server.url, { prompt: `a boat and ${number} kites in the rain`, size, duration: 2 }))
const start = performance.now()
let most = 0
const watch = setInterval(() => (most = Math.max(most, memoryOf(server.pid))), 200)
const results = Promise.all(
  ids.map(async (id) => {
    const response = await fetch(`${server.url}/v1/videos/${id}/content`, { headers })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, isVideo: bytes.toString('latin1', 4, 8) === 'ftyp', hash: bytes.length }
  }),
)
const busy = await latenciesOf(server.url, path, results)
clearInterval(watch)
const seconds = (performance.now() - start) / 1_000
const clips = await results
const [idle99, busy99] = [quantile(idle, 0.99), quantile(busy, 0.99)]
say(`${load()}; ${renders} clips of ${size} in ${seconds.toFixed(0)} s, server at most ${most.toFixed(0)} MB`)
say(`polls idle: p50 ${quantile(idle, 0.5).toFixed(2)} ms, p99 ${idle99.toFixed(2)} ms of ${idle.length}`)
say(
  `polls busy: p50 ${quantile(busy, 0.5).toFixed(2)} ms, p99 ${busy99.toFixed(2)} ms, max ${Math.max(...busy).toFixed(1)} ms of ${busy.length}`,
)
aim(
  clips.every(({ status, isVideo }) => status === 200 && isVideo),
  `${renders} clips came`,
)
aim(
  busy99 <= 3 * idle99,
  `99th percentile of polls: ${(busy99 / idle99).toFixed(2)} times that of an idle server`,
)
aim(isAlive(server) && (await call(`${server.url}/_greenroom/health`)) !== undefined, 'the server is well')
await server.stop()
