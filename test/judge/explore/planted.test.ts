import { readdirSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { startServer } from '../../../src/server/index.ts'
import { plantedBugs } from './planted/bugs.ts'
import { DrawingClient } from './planted/drawing.ts'
import { askForMessage } from './planted/messages.ts'
import { makeVideo } from './planted/video.ts'
import { needs } from '../../support/needs.ts'

const planted = fileURLToPath(new URL('planted/', import.meta.url))

it('lists every planted bug, with a file of its own', () => {
  const listed = plantedBugs.map(({ name, client }) => `${client}/${name}`)
  const files = ['video', 'drawing', 'command', 'messages', 'images'].flatMap((shape) =>
    readdirSync(planted + shape).map((file) => `${shape}/${file.replace(/\.m?[jt]s$/, '')}`),
  )
  expect(listed.toSorted()).toEqual(files.toSorted())
  expect(listed).toHaveLength(55)
})

it('plants the bugs in clients that are good without them', async () => {
  needs(
    'video.submit',
    'mj.imagine',
    'messages.create',
    'chat.complete',
    'text.generate',
    'embeddings.create',
  )
  await using sim = createSimulator({ seed: 1 })
  const gateway = {
    fetch: sim.fetch,
    sleep: sim.clock.sleep,
    baseUrl: 'https://gateway.example',
    key: sim.key,
  }
  expect((await makeVideo('a red kite', gateway)).bytes.length).toBeGreaterThan(1_000)
  expect((await new DrawingClient(gateway).draw('a red kite')).bytes.length).toBeGreaterThan(1_000)
  expect((await askForMessage('Why do kites fly?', gateway)).length).toBeGreaterThan(10)
  const server = await startServer({ port: 0, clock: 'auto', text: { timing: 'instant' }, seed: 1 })
  try {
    const env = { ...process.env, GREENROOM_URL: server.url, GREENROOM_KEY: 'sk-test' }
    const printed = ['chat', 'text', 'embedding', 'agent'].map(async (flow) => {
      const { stdout } = await promisify(execFile)('node', [`${planted}good-${flow}.mjs`], { env })
      return stdout.trim().length > 10
    })
    expect(await Promise.all(printed)).toEqual([true, true, true, true])
  } finally {
    await server.close()
  }
})
