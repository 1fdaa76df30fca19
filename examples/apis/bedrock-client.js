// Makes a video with the HTTP API of Bedrock: node bedrock-client.js PROMPT
import { randomUUID } from 'node:crypto'
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
// A Bedrock API key is a bearer token.
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(path, init = {}) {
  const response = await carefulFetch(`${url}/async-invoke${path}`, { headers, ...init })
  const reply = await response.json()
  if (!response.ok) throw new Error(`${path}: ${reply.message}`)
  return reply
}

const body = JSON.stringify({
  clientRequestToken: randomUUID(),
  modelId: 'amazon.nova-reel-v1:1',
  modelInput: {
    taskType: 'TEXT_VIDEO',
    textToVideoParams: { text: process.argv[2] ?? 'a red kite' },
    videoGenerationConfig: { durationSeconds: 6, fps: 24, dimension: '1280x720' },
  },
  outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://videos/kites' } },
})
const { invocationArn } = await send('', { method: 'POST', body })
const wait = createWait()
let invocation
do {
  await wait()
  invocation = await send(`/${encodeURIComponent(invocationArn)}`)
  if (!['InProgress', 'Completed'].includes(invocation.status))
    throw new Error(invocation.failureMessage ?? `the invocation is ${invocation.status}`)
} while (invocation.status !== 'Completed')
// Here, S3 is a path of the simulator.
const { s3Uri } = invocation.outputDataConfig.s3OutputDataConfig
const video = await downloadVideo(`${s3Uri.replace('s3://', `${url}/s3/`)}/output.mp4`)
console.log(`${video.length} bytes`)
