import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { createSimulator } from 'greenroom'
import { z } from 'zod'
import { checkTypes } from '../exact-types.js'
import { makeOpenAiImageSteps } from '../openai-image-steps.js'
import { makeOpenAiSteps } from '../openai-steps.js'
import { apiKey, runSteps } from '../run-steps.js'

await runSteps({
  ...makeOpenAiSteps(OpenAI, { zod: z, zodResponseFormat, zodTextFormat }),
  ...makeOpenAiImageSteps(OpenAI),
  async 'types of videos'() {
    checkTypes('videos.ts', "import type OpenAI from 'openai'", { 'OpenAI.Video': await collectVideos() })
  },
})

/** A video in each of its states, and a remix. */
async function collectVideos() {
  const sim = createSimulator({
    quirks: { openaiVideoStyle: 'openai' },
    retention: { age: '24h' },
    clock: { mode: 'manual' },
  })
  const { videos } = new OpenAI({ apiKey, baseURL: 'https://gateway.example/v1', fetch: sim.fetch })
  const queued = await videos.create({ model: 'sora-2', prompt: 'a red kite' })
  await sim.clock.advanceUntil(queued.id, 'SUCCESS')
  const done = await videos.retrieve(queued.id)
  const remix = await videos.remix(queued.id, { prompt: 'a blue kite' })
  const { id } = await videos.create({ model: 'sora-2', prompt: 'a kite [[fail: content policy]]' })
  await sim.clock.advance('1m')
  const failed = await videos.retrieve(id)
  await sim.close()
  return [queued, done, remix, failed]
}
