import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'
import { bugsOf } from './planted/bugs.ts'
import { DrawingClient } from './planted/drawing.ts'
import { makeImage, type Habits as ImageHabits } from './planted/images.ts'
import { askForMessage, type Habits as MessageHabits } from './planted/messages.ts'
import { makeVideo, type Habits } from './planted/video.ts'

const folder = fileURLToPath(new URL('planted/', import.meta.url))
const prompt = 'a red kite'
const question = 'Write two sentences about a red kite over Tōkyō.'

/** @param only the faults to try. Default: all. */
async function findIn(
  client: (gateway: ExploredGateway) => Promise<unknown>,
  only: readonly string[] = [],
): Promise<string[]> {
  const found = await explore(client, { only }).catch((error: unknown) => {
    if (error instanceof ExploreError) return error
    throw error
  })
  return found.findings.map(({ key }) => key)
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
  it.each(bugsOf('video'))('of videos: %s, by %s', async (name, foundBy) => {
    const { habits } = (await import(`${folder}video/${name}.ts`)) as { habits: Habits }
    expect(await findIn((gateway) => makeVideo(prompt, gateway, habits), [foundBy])).not.toEqual([])
  })

  it.each(bugsOf('drawing'))('of drawings: %s, by %s', async (name, foundBy) => {
    const { Client } = (await import(`${folder}drawing/${name}.ts`)) as { Client: typeof DrawingClient }
    expect(await findIn((gateway) => new Client(gateway).draw(prompt), [foundBy])).not.toEqual([])
  })

  it.each(bugsOf('messages'))('of messages: %s, by %s', async (name, foundBy) => {
    const { habits } = (await import(`${folder}messages/${name}.ts`)) as { habits: MessageHabits }
    expect(await findIn((gateway) => askForMessage(question, gateway, habits), [foundBy])).not.toEqual([])
  })

  it.each(bugsOf('images'))('of images: %s, by %s', async (name, foundBy) => {
    const { habits } = (await import(`${folder}images/${name}.ts`)) as { habits: ImageHabits }
    expect(await findIn((gateway) => makeImage(prompt, gateway, habits), [foundBy])).not.toEqual([])
  })
})
