import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'
import { DrawingClient } from './planted/drawing.ts'
import { makeImage, type Habits as ImageHabits } from './planted/images.ts'
import { askForMessage, type Habits as MessageHabits } from './planted/messages.ts'
import { makeVideo, type Habits } from './planted/video.ts'

const folder = fileURLToPath(new URL('planted/', import.meta.url))
const bugsOf = (shape: string): string[] => readdirSync(folder + shape)
const prompt = 'a red kite'
const question = 'Write two sentences about a red kite over Tōkyō.'

async function findIn(client: (gateway: ExploredGateway) => Promise<unknown>): Promise<string[]> {
  const found = await explore(client, { budget: '5m' }).catch((error: ExploreError) => error)
  return found.findings.map(({ key }) => key)
}

const expectFound = (file: string, keys: readonly string[]): void => {
  if (process.env['SHOW_FINDINGS'] !== undefined) process.stdout.write(`${file}: ${keys.join('; ')}\n`)
  expect(keys).not.toEqual([])
}

describe('finds nothing in good clients', { timeout: 300_000 }, () => {
  it('of videos', async () => {
    expect(await findIn((gateway) => makeVideo(prompt, gateway))).toEqual([])
  })

  it('of drawings', async () => {
    expect(await findIn((gateway) => new DrawingClient(gateway).draw(prompt))).toEqual([])
  })

  it('of messages', async () => {
    expect(await findIn((gateway) => askForMessage(question, gateway))).toEqual([])
  })

  it('of images', async () => {
    expect(await findIn((gateway) => makeImage(prompt, gateway))).toEqual([])
  })
})

describe('finds each planted bug', { timeout: 300_000 }, () => {
  it.each(bugsOf('video'))('of videos: %s', async (file) => {
    const { habits } = (await import(`${folder}video/${file}`)) as { habits: Habits }
    expectFound(file, await findIn((gateway) => makeVideo(prompt, gateway, habits)))
  })

  it.each(bugsOf('drawing'))('of drawings: %s', async (file) => {
    const { Client } = (await import(`${folder}drawing/${file}`)) as { Client: typeof DrawingClient }
    expectFound(file, await findIn((gateway) => new Client(gateway).draw(prompt)))
  })

  it.each(bugsOf('messages'))('of messages: %s', async (file) => {
    const { habits } = (await import(`${folder}messages/${file}`)) as { habits: MessageHabits }
    expectFound(file, await findIn((gateway) => askForMessage(question, gateway, habits)))
  })

  it.each(bugsOf('images'))('of images: %s', async (file) => {
    const { habits } = (await import(`${folder}images/${file}`)) as { habits: ImageHabits }
    expectFound(file, await findIn((gateway) => makeImage(prompt, gateway, habits)))
  })
})
