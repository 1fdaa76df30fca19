import { readdirSync } from 'node:fs'
import { it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { explore } from '../../../src/judge/explore/index.ts'
import { exploredFunction } from '../../../src/embedded/explored-function.ts'
import { makeVideo } from './planted/video.ts'
import { DrawingClient } from './planted/drawing.ts'

const only = process.env['ONLY']
it('counts', async () => {
  const run = async (name: string, client: (gateway: any) => Promise<unknown>): Promise<void> => {
    if (only && !name.includes(only)) return
    const runs = exploredFunction({ client, createSimulator: (scenario) => createSimulator({ scenario, cacheDir: false }), isFailure: () => false })
    const began = performance.now()
    const { findings, cells, left, score } = await explore(runs, { jobs: Number(process.env['JOBS'] ?? 1) })
    const ms = performance.now() - began
    console.log(`## ${name}: ${cells.length} runs, ${Math.round(ms)} ms, left ${left}, score ${score}\n` + findings.map(({ severity, sentence, detail, schedules }) => `   ${severity}: ${sentence} [${detail}] ${schedules.length}: ${schedules.slice(0, 3).join(', ')}`).join('\n'))
  }
  await run('good video', (g) => makeVideo('a red kite', g))
  await run('good drawing', (g) => new DrawingClient(g).draw('a red kite'))
  for (const file of readdirSync(new URL('planted/video/', import.meta.url))) {
    const { habits } = await import(`./planted/video/${file}`)
    await run(`video/${file}`, (g) => makeVideo('a red kite', g, habits))
  }
  for (const file of readdirSync(new URL('planted/drawing/', import.meta.url))) {
    const { Client } = await import(`./planted/drawing/${file}`)
    await run(`drawing/${file}`, (g) => new Client(g).draw('a red kite'))
  }
}, 1_000_000)
