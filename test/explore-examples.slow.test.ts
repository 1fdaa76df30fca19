import { expect, it } from 'vitest'
import { explore, type ExploredGateway } from '../src/index.ts'

type Client = (prompt: string, gateway: ExploredGateway) => Promise<unknown>

it.each([
  ['videos', 'makeVideo', 'vitest/video.js'],
  ['texts', 'talk', 'vitest/talk.js'],
])('finds nothing in the example of %s', async (_of, name, path) => {
  const examples = (await import(new URL(`../examples/${path}`, import.meta.url).href)) as Record<
    string,
    Client
  >
  const { findings } = await explore((gateway) => examples[name]!('Why do red kites fly?', gateway))
  expect(findings).toEqual([])
})
