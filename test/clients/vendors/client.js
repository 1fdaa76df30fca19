// The SDKs of vendors whose APIs come with greenroom.
import assert from 'node:assert/strict'
import RunwayML, { TaskFailedError } from '@runwayml/sdk'
import { LumaAI } from 'lumaai'
import { apiKey, gatewayUrl, runSteps } from '../run-steps.js'

const runway = new RunwayML({ baseURL: gatewayUrl, apiKey, maxRetries: 0 })
const luma = new LumaAI({ baseURL: `${gatewayUrl}/dream-machine/v1`, authToken: apiKey, maxRetries: 0 })
const request = { model: 'gen4.5', ratio: '1280:720', duration: 2 }

async function download(url) {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(bytes.subarray(4, 8).toString(), 'ftyp')
}

await runSteps({
  'Runway: video': async () => {
    const task = await runway.textToVideo.create({ ...request, promptText: 'a red kite' }).waitForTaskOutput()
    await download(task.output[0])
  },
  'Runway: error class': async () => {
    const promptText = 'a red kite [[fail: policy]]'
    const task = runway.textToVideo.create({ ...request, promptText }).waitForTaskOutput()
    await assert.rejects(task, TaskFailedError)
  },
  'Runway: refusal': async () => {
    const wrong = runway.textToVideo.create({ ...request, duration: 99, promptText: 'a red kite' })
    await assert.rejects(wrong, { status: 400 })
  },
  'Runway: deletion': async () => {
    const { id } = await runway.textToVideo.create({ ...request, promptText: 'a red kite' })
    await runway.tasks.delete(id)
    assert.equal((await runway.tasks.retrieve(id)).status, 'CANCELLED')
  },
  'Luma: video': async () => {
    let generation = await luma.generations.create({ prompt: 'a red kite', model: 'ray-2' })
    while (!['completed', 'failed'].includes(generation.state)) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      generation = await luma.generations.get(generation.id)
    }
    await download(generation.assets.video)
  },
  'Luma: deletion': async () => {
    const { id } = await luma.generations.create({ prompt: 'a red kite', model: 'ray-2' })
    await luma.generations.delete(id)
    await assert.rejects(luma.generations.get(id), { status: 404 })
  },
})
