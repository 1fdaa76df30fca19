import { once } from 'node:events'
import { startServer } from '../../dist/server/index.js'
import { cellOf } from '../figures.js'
import { here, start } from '../servers.js'

const rounds = 5
const timers = new URL('../../dist/virtual-timers.js', import.meta.url).href
const client = here('../examples/explore/client.js')

/** How long programs take that poll one server at the same time, each with timers on its clock. */
export async function measureClients() {
  const rows = []
  for (const count of [1, 4, 8]) {
    const seconds = []
    for (let round = 0; round < rounds; round++) seconds.push(await runClients(count))
    rows.push(
      `| ${count} | ${cellOf(seconds, 's')} | ${cellOf(seconds.map((each) => (count * 60) / each))} |`,
    )
  }
  return `Programs that share a server, started at the same time: each is a process of Node with virtual timers, submits a video, polls it, and
downloads it.

| programs at the same time | until the last has ended | programs in a minute |
|---|---|---|
${rows.join('\n')}`
}

async function runClients(/** @type {number} */ count) {
  const server = await startServer({ port: 0, cacheDir: false, quality: 'fast', clock: { mode: 'auto' } })
  const began = performance.now()
  const env = { ...process.env, GREENROOM_URL: server.url }
  const ends = Array.from({ length: count }, async () => {
    const [code] = await once(start(process.execPath, ['--import', timers, client], { env }), 'exit')
    if (code !== 0) throw new Error(`a client exited with ${code}`)
  })
  try {
    await Promise.all(ends)
    return (performance.now() - began) / 1_000
  } finally {
    await server.close()
  }
}
