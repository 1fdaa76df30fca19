// Makes a video with Luma's HTTP API: node luma-client.js PROMPT
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(path, init = {}) {
  const response = await carefulFetch(`${url}/dream-machine/v1${path}`, { headers, ...init })
  const reply = await response.json()
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(reply.detail)}`)
  return reply
}

const body = JSON.stringify({ prompt: process.argv[2] ?? 'a red kite', model: 'ray-2', duration: '5s' })
let generation = await send('/generations', { method: 'POST', body })
const wait = createWait()
while (generation.state !== 'completed') {
  if (!['queued', 'dreaming'].includes(generation.state))
    throw new Error(generation.failure_reason ?? `the generation is ${generation.state}`)
  await wait()
  generation = await send(`/generations/${generation.id}`)
}
const video = await downloadVideo(generation.assets.video)
console.log(`${video.length} bytes`)
