// Clients that read a large video at 1 kB a second: what does each hold in memory, and what is left when they vanish?
import { readFileSync, writeFileSync } from 'node:fs'
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
  say,
  serve,
  sleep,
  until,
  submit,
} from './common.js'

const readers = count('READERS', 300)
const seconds = 20
const megabytes = 64
const home = folder()
// A real beginning, so that the file is taken for a video, and then more than the system's buffers hold.
const clip = readFileSync(new URL('../../fixtures/clips/paper-boat-320x180-3s.mp4', import.meta.url))
writeFileSync(join(home, 'large.mp4'), Buffer.concat([clip, Buffer.alloc(megabytes * 1e6)]))
const rule = '{ match: { op: video.content }, media: { file: large.mp4 } }'
writeFileSync(join(home, 'large.yaml'), `version: 1\nrules:\n  - ${rule}\n`)
const server = await serve([
  '--scenario',
  join(home, 'large.yaml'),
  '--cache-dir',
  'false',
  '--timing',
  'instant',
])
const id = await submit(server.url, { prompt: 'a city in the rain, at night' })
const path = `/v1/videos/${id}/content`
const whole = await (await fetch(server.url + path, { headers })).arrayBuffer()
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
for (const [index, socket] of sockets.entries()) {
  if (index % 2) socket.destroy()
  else socket.resetAndDestroy()
}
const isLevel = await until(() => descriptorsOf(server.pid) <= before.descriptors + 2)
const isSettled = await until(
  async () => (await call(`${server.url}/_greenroom/journal?outcome=open`)).length === 0,
)
const each = ((during.memory - before.memory) / readers) * 1_024
say(
  `${load()}; a file of ${(whole.byteLength / 1e6).toFixed(0)} MB, ${readers} readers, ${(received / readers / seconds / 1_000).toFixed(2)} kB/s each, ${open.length} open`,
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
