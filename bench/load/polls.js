// 1,000,000 polls: does anything grow?
import { load as send } from '../load.js'
import { aim, bytesOf, count, load, memoryOf, say, serve, submit } from './common.js'

const polls = count('POLLS', 1_000_000)
const parts = 10
const server = await serve(['--no-cache', '--timing', 'instant'])
const ids = []
for (let number = 0; number < 100; number++) ids.push(await submit(server.url, { prompt: `kite ${number}` }))
const requests = ids.map((id) => bytesOf(`/v1/video/generations/${id}`))
let next = 0
const request = () => requests[next++ % requests.length] ?? ''
let made = 0
const levels = []
const start = performance.now()
while (made < polls) {
  const goal = ((levels.length + 1) * polls) / parts
  while (made < goal)
    made += (await send({ url: server.url, request, connections: 16, durationMs: 500 })).requests
  levels.push(memoryOf(server.pid))
}
const [, second = NaN] = levels
const growth = Math.max(...levels.slice(-3)) - second
say(`${load()}; ${made} polls in ${((performance.now() - start) / 1_000).toFixed(0)} s`)
say(`memory after each ${polls / parts}: ${levels.map((level) => level.toFixed(0)).join(', ')} MB`)
aim(growth < 20, `growth after the second tenth: ${growth.toFixed(1)} MB`)
await server.stop()
