// 1,000,000 polls: does anything grow?
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../figures.js'
import { load as send } from '../load.js'
import { aim, bytesOf, count, folder, load, memoryOf, say, serve, submit } from './common.js'

const polls = count('POLLS', 1_000_000)
const parts = 10
// What is stored on purpose is full early, and a small heap is collected often: what still grows is lost.
const config = join(folder(), 'greenroom.config.json')
writeFileSync(config, JSON.stringify({ limits: { journalEntries: 500 }, bodies: false }))
const flags = ['--cache-dir', 'false', '--timing', 'instant', '--config', config]
const server = await serve(flags, { node: ['--max-old-space-size=160', '--max-semi-space-size=4'] })
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
const growth = median(levels.slice(-3)) - median(levels.slice(2, 5))
say(`${load()}; ${made} polls in ${((performance.now() - start) / 1_000).toFixed(0)} s`)
say(`memory after each ${polls / parts}: ${levels.map((level) => level.toFixed(0)).join(', ')} MB`)
aim(growth < 10, `growth from the fourth tenth to the ninth: ${growth.toFixed(1)} MB`)
await server.stop()
