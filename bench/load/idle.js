// 1,000 connections that only wait: what does one cost, and is everything given back?
import { quantile } from '../figures.js'
import {
  aim,
  bytesOf,
  count,
  descriptorsOf,
  dial,
  isAlive,
  latenciesOf,
  load,
  memoryOf,
  serve,
  say,
  sleep,
  submit,
  until,
} from './common.js'

const connections = count('CONNECTIONS', 1_000)
const server = await serve(['--cache-dir', 'false'])
const id = await submit(server.url, { prompt: 'a kite' })
const path = `/v1/video/generations/${id}`
await latenciesOf(server.url, path, sleep(3_000))
const idle = await latenciesOf(server.url, path, sleep(3_000))
// The connections of the polls above are closed a moment later.
await sleep(500)
const before = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }

const sockets = []
for (let number = 0; number < connections; number++) {
  const socket = await dial(server.url)
  // Half of them have sent something before.
  if (number % 2) {
    socket.write(bytesOf(path))
    await new Promise((resolve) => socket.once('data', resolve))
  }
  sockets.push(socket)
}
const during = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }
const busy = await latenciesOf(server.url, path, sleep(3_000))
for (const socket of sockets) socket.destroy()
const isLevel = await until(() => descriptorsOf(server.pid) <= before.descriptors + 1)
const p99 = (/** @type {number[]} */ values) => quantile(values, 0.99)
const each = ((during.memory - before.memory) / connections) * 1_024
say(
  `${load()}; polls p99 ${p99(idle).toFixed(2)} ms without and ${p99(busy).toFixed(2)} ms with ${connections} idle connections`,
)
aim(during.descriptors - before.descriptors >= connections, `${connections} connections are open`)
aim(p99(busy) < Math.max(20, 3 * p99(idle)), 'polls are as quick as before')
aim(each < 64, `an idle connection costs ${each.toFixed(1)} kB`)
aim(
  isLevel && isAlive(server),
  `descriptors: ${before.descriptors} before, ${during.descriptors} with, ${descriptorsOf(server.pid)} after`,
)
await server.stop()
