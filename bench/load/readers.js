// Clients that read a large video at 1 kB a second: what does each hold in memory, and what is left when they vanish?
import {
  aim,
  bytesOf,
  call,
  count,
  descriptorsOf,
  dial,
  headers,
  isAlive,
  load,
  memoryOf,
  say,
  serve,
  sleep,
  until,
  submit,
} from './common.js'

const readers = count('READERS', 300)
const seconds = 20
const server = await serve(['--quality', 'fast', '--no-cache', '--timing', 'instant'])
/** The largest of a few: none is as large as what people download, and these are enough to fill the buffers. */
const id = await submit(server.url, {
  prompt: 'a city in the rain, at night',
  size: '1920x1080',
  duration: 60,
})
const path = `/v1/videos/${id}/content`
const clip = await (await fetch(server.url + path, { headers })).arrayBuffer()
const megabytes = clip.byteLength / 1e6
await sleep(1_000)
const before = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }

const sockets = /** @type {import('node:net').Socket[]} */ ([])
let received = 0
for (let number = 0; number < readers; number++) {
  const socket = await dial(server.url)
  socket.on('readable', () => {})
  socket.write(bytesOf(path))
  sockets.push(socket)
}
// A socket that is read by hand takes in no more than its buffers; the rest must wait in the server, or on its disk.
const reading = setInterval(() => {
  for (const socket of sockets) received += socket.read(100)?.length ?? 0
}, 100)
await sleep(seconds * 1_000)
clearInterval(reading)
const during = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }
const open = await call(`${server.url}/_greenroom/journal?outcome=open`)
// Half of them end as a client does, the others as when a machine goes away.
for (const [index, socket] of sockets.entries()) index % 2 ? socket.destroy() : socket.resetAndDestroy()
const isLevel = await until(() => descriptorsOf(server.pid) <= before.descriptors + 2)
const isSettled = await until(
  async () => (await call(`${server.url}/_greenroom/journal?outcome=open`)).length === 0,
)
const each = ((during.memory - before.memory) / readers) * 1_024
say(
  `${load()}; a file of ${megabytes.toFixed(1)} MB, ${readers} readers, ${(received / readers / seconds / 1_000).toFixed(2)} kB/s each, ${open.length} open`,
)
aim(
  each < 512,
  `memory of the server: ${before.memory.toFixed(0)} MB before, ${during.memory.toFixed(0)} MB with them, ${each.toFixed(0)} kB for each`,
)
aim(
  isLevel && isSettled && isAlive(server),
  `descriptors: ${before.descriptors} before, ${during.descriptors} with, ${descriptorsOf(server.pid)} after; no exchange is open`,
)
await server.stop()
