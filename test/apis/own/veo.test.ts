import { GoogleGenAI, type GenerateVideosOperation } from '@google/genai'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { NodeSimulator } from '../../../src/index.ts'
import { simulatorWith } from '../../support/own-apis.ts'

const address = 'https://generativelanguage.googleapis.com'
const model = 'veo-3.0-generate-001'
const server = setupServer()
let sim: NodeSimulator

beforeAll(async () => {
  sim = await simulatorWith(['veo'])
  server.listen({ onUnhandledRequest: 'error' })
})
beforeEach(() => server.resetHandlers(...sim.handlers({ baseUrl: address })))
afterAll(async () => {
  server.close()
  await sim.close()
})

const key = `AIza${'x'.repeat(35)}`
const client = (apiKey = key): GoogleGenAI => new GoogleGenAI({ apiKey })

async function makeVideo(prompt: string): Promise<GenerateVideosOperation> {
  const ai = client()
  let operation = await ai.models.generateVideos({
    model,
    source: { prompt },
    config: { durationSeconds: 4 },
  })
  while (!operation.done) operation = await ai.operations.getVideosOperation({ operation })
  return operation
}

it('makes a video for the official SDK at its own address', async () => {
  const { response } = await makeVideo('a red kite')
  const { uri } = response!.generatedVideos![0]!.video!
  expect((await fetch(uri!)).status).toBe(401)
  const video = await fetch(uri!, { headers: { 'x-goog-api-key': key } })
  expect(video.headers.get('content-type')).toBe('video/mp4')
})

it('says in the operation why it failed', async () => {
  const { error, response } = await makeVideo('x [[fail: safety]]')
  expect(error).toEqual({ code: 13, message: 'safety' })
  expect(response).toBeUndefined()
})

it('refuses as Google does', async () => {
  const ai = client()
  await expect(ai.models.generateVideos({ model, prompt: '' })).rejects.toThrow('INVALID_ARGUMENT')
  await expect(client('bad').models.generateVideos({ model, prompt: 'x' })).rejects.toThrow('UNAUTHENTICATED')
  const unknown = await fetch(`${address}/v1beta/models/veo/operations/nope?key=${key}`)
  expect(await unknown.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
})

it.each([
  ['DELETE', `/v1beta/models/${model}/operations/x1`, 'This path takes GET (veo.operation).'],
  ['GET', '/v1beta/files/a/b', 'The operations of veo are POST /v1beta/models/{model}:predictLongRunning'],
])(
  'refuses %s %s in the words of Veo, without advice for the APIs of greenroom',
  async (method, path, advice) => {
    const response = await sim.fetch(address + path, { method, headers: { 'x-goog-api-key': key } })
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: { code: 404, message: expect.stringContaining(advice), status: 'NOT_FOUND' } },
    ])
    expect(sim.core.unserved(method, path)).not.toContain('not offered')
  },
)
